"""Keys with their certificates, made for a test."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat


class Identity:
    """A key with its certificate, by an authority or its own."""

    def __init__(self, name, by=None):
        self.key = ec.generate_private_key(ec.SECP256R1())
        today, subject = datetime.now(UTC), x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(by.certificate.subject if by else subject)
            .public_key(self.key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(today - timedelta(days=1))
            .not_valid_after(today + timedelta(days=1))
            .add_extension(
                x509.BasicConstraints(ca=by is None or name == "middle", path_length=None), critical=True
            )
            .add_extension(
                x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
            )
        )
        self.certificate = builder.sign(by.key if by else self.key, hashes.SHA256())
        self.pem = self.certificate.public_bytes(Encoding.PEM).decode()

    def key_pem(self, how=None):
        return self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, how or NoEncryption()).decode()
