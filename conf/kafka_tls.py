"""Stores of certificates and keys, as Kafka's Java clients name them, as librdkafka takes them."""

from collections.abc import Mapping
from pathlib import Path

from transforms.errors import BadInput
from transforms.when_used import when_used

# What is understood, and what says how a JVM does what is done here in any case.
TLS = when_used(
    r"ssl\.((truststore|keystore)\.(type|location|password)|truststore\.certificates|keystore\.(key|certificate\.chain)"
    r"|key\.password|endpoint\.identification\.algorithm|enabled\.protocols|protocol|provider"
    r"|(keymanager|trustmanager)\.algorithm|secure\.random\.implementation)"
)
# How stores of Java alone begin, JKS and JCEKS: keytool makes PKCS12 since Java 9, whatever a file is called.
OF_JAVA = (b"\xfe\xed\xfe\xed", b"\xce\xce\xce\xce")
PEM = b"-----BEGIN "


def refused(name: str, what: str, todo: str | None = None) -> BadInput:
    """The error on an option, by its name: a value may be a secret."""
    otherwise = f'give {name} another value under kafka.asking, or "" for none'
    return BadInput(f"{name} {what}", where="conf's kafka", todo=todo or otherwise)


def tls_settings(options: Mapping[str, str], *, is_named: bool) -> dict[str, str]:
    """What connections are made with. is_named: whether a certificate must have the broker's name.

    Raises: BadInput for a store that can't be read, and an option that is known to a JVM alone.
    """
    for name in options:
        if name.startswith("ssl.") and not TLS.fullmatch(name):
            raise refused(name, "is known to a JVM alone")
    algorithm = "https" if is_named else "none"
    return {"ssl.endpoint.identification.algorithm": algorithm, **_trust(options), **_prove(options)}


def _trust(options: Mapping[str, str]) -> dict[str, str]:
    """Of authorities; the system's where none is given."""
    place, password = "ssl.truststore.location", "ssl.truststore.password"
    if place not in options:
        text = options.get("ssl.truststore.certificates")
        return {"ssl.ca.pem": text} if text else {}
    content = _content(options, place)
    if PEM in content:
        return {"ssl.ca.pem": content.decode("utf-8", "replace")}
    try:
        text = _certificates(content, options.get(password))
    except ValueError:
        raise refused(place, "is no PEM, and no PKCS12 that its password opens", f"see {password}") from None
    if not text:
        raise refused(place, "has no certificate", "give those of the brokers' authorities")
    return {"ssl.ca.pem": text}


def _prove(options: Mapping[str, str]) -> dict[str, str]:
    """The client's own certificate with its chain, where brokers ask for one."""
    place, password = "ssl.keystore.location", options.get("ssl.key.password")
    if place in options:
        content = _content(options, place)
        if PEM not in content:
            secret = options.get("ssl.keystore.password", "")
            return {place: options[place], "ssl.keystore.password": secret}
        pem = content.decode("utf-8", "replace")
    else:
        pem = f"{options.get('ssl.keystore.key', '')}\n{options.get('ssl.keystore.certificate.chain', '')}"
    if not pem.strip():
        return {}
    made = {"ssl.key.pem": pem, "ssl.certificate.pem": pem}
    return made | ({"ssl.key.password": password} if password else {})


def _content(options: Mapping[str, str], name: str) -> bytes:
    """Of a store, which is PEM or PKCS12: which of them, its bytes say."""
    try:
        content = Path(options[name]).read_bytes()
    except OSError as error:
        raise refused(name, f"can't be read ({type(error).__name__})", "give the path of a store") from None
    if content.startswith(OF_JAVA):
        todo = "copy it (keytool -importkeystore -deststoretype PKCS12), and name the copy under kafka.asking"
        raise refused(name, "is a store that a JVM alone reads (JKS)", todo)
    return content


def _certificates(store: bytes, password: str | None) -> str:
    """Those of a trust store of PKCS12, which librdkafka takes as PEM alone.

    Raises: ValueError for another, and another's password.
    """
    from cryptography.hazmat.primitives.serialization import Encoding
    from cryptography.hazmat.primitives.serialization.pkcs12 import load_pkcs12

    found = load_pkcs12(store, password.encode() if password else None)
    named = [one for one in (found.cert, *found.additional_certs) if one is not None]
    return b"".join(one.certificate.public_bytes(Encoding.PEM) for one in named).decode()
