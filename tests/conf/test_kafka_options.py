"""Options of Kafka's Java consumer as librdkafka takes them: what is translated, what is refused and how that is said."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption
from cryptography.hazmat.primitives.serialization.pkcs12 import (
    PKCS12Certificate,
    serialize_java_truststore,
    serialize_key_and_certificates,
)

from conf.kafka_options import client_settings, milliseconds
from conf.settings import KafkaConf
from jobs.inputs.brokers import extent_of
from tests.identities import Identity
from transforms.errors import BadInput
from transforms.plans.topics import topic_of

SECRET = "s3cr3t-that-nobody-sees"
PLAIN = (
    f'org.apache.kafka.common.security.plain.PlainLoginModule required username="ann" password="{SECRET}";'
)


def settings_of(options, servers="b:9093"):
    return client_settings(options, servers)


def sasl(mechanism, jaas, **others):
    named = {name.replace("_", "."): value for name, value in others.items()}
    return {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": mechanism,
        "sasl.jaas.config": jaas,
        **named,
    }


def test_without_options_nothing_is_secured():
    assert settings_of({}) == {"bootstrap.servers": "b:9093", "security.protocol": "PLAINTEXT"}


def test_what_is_of_reading_alone_is_left_out():
    options = {
        "client.id": "kipwatch",
        "max.poll.records": "7",
        "fetch.max.bytes": "1",
        "isolation.level": "x",
    }
    assert settings_of(options | {"sasl.engine": "x", "ssl.engine": "y"}) == {
        "bootstrap.servers": "b:9093", "security.protocol": "PLAINTEXT", "client.id": "kipwatch",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("jaas", "password"),
    [
        pytest.param(PLAIN, SECRET, id="as Kafka writes it"),
        pytest.param(f"kafkashaded.{PLAIN}", SECRET, id="as Databricks has it"),
        pytest.param(PLAIN.removesuffix(";"), SECRET, id="without its end"),
        pytest.param(
            'x.PlainLoginModule required\n  username=ann\n  password="a;b=\\"c\\" \\\\";',
            'a;b="c" \\',
            id="quoted",
        ),
        pytest.param("x.PlainLoginModule required username=ann password=a-b.c ;", "a-b.c", id="bare"),
        pytest.param('x.PlainLoginModule required debug="true" username="ann" password="";', "", id="empty"),
    ],
)
def test_user_and_password_of_a_login(jaas, password):
    made = settings_of(sasl("plain", jaas))
    assert (made["sasl.mechanism"], made["sasl.username"], made["sasl.password"]) == (
        "PLAIN",
        "ann",
        password,
    )


def test_scram_is_as_plain():
    made = settings_of(sasl("SCRAM-SHA-512", PLAIN.replace("plain.Plain", "scram.Scram")))
    assert (made["sasl.mechanism"], made["sasl.password"]) == ("SCRAM-SHA-512", SECRET)


def test_a_token_of_a_token_endpoint():
    jaas = f'x.OAuthBearerLoginModule required clientId="id" clientSecret="{SECRET}" scope="s" extension_pool="p";'
    handler = "org.apache.kafka.common.security.oauthbearer.secured.OAuthBearerLoginCallbackHandler"
    others = {
        "sasl.oauthbearer.token.endpoint.url": "https://idp/token",
        "sasl.login.callback.handler.class": handler,
    }
    made = settings_of(sasl("OAUTHBEARER", jaas) | others)
    assert {name: value for name, value in made.items() if name.startswith("sasl.oauth")} == {
        "sasl.oauthbearer.method": "oidc",
        "sasl.oauthbearer.token.endpoint.url": "https://idp/token",
        "sasl.oauthbearer.client.id": "id",
        "sasl.oauthbearer.client.secret": SECRET,
        "sasl.oauthbearer.scope": "s",
        "sasl.oauthbearer.extensions": "pool=p",
    }
    newer = {
        "sasl.oauthbearer.client.credentials.client.id": "id",
        "sasl.oauthbearer.client.credentials.client.secret": SECRET,
        "sasl.oauthbearer.scope": "s",
    }
    bare = sasl("OAUTHBEARER", "x.OAuthBearerLoginModule required extension_pool=p;") | others | newer
    assert settings_of(bare) == made


def test_a_keytab():
    jaas = (
        'com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true storeKey=true serviceName="kafka" '
        'keyTab="/etc/k.keytab" principal="kipwatch@X";'
    )
    # Java's default is Kerberos.
    made = settings_of({"security.protocol": "SASL_PLAINTEXT", "sasl.jaas.config": jaas})
    assert made["sasl.mechanism"] == "GSSAPI"
    assert [made[f"sasl.kerberos.{one}"] for one in ("service.name", "keytab", "principal")] == [
        "kafka", "/etc/k.keytab", "kipwatch@X",
    ]  # fmt: skip


def test_amazons_identities(monkeypatch):
    """By AWS's own signer, which librdkafka calls when it needs a token."""
    provider = SimpleNamespace(generate_auth_token=lambda region: (f"token of {region}", 7000))
    signer = SimpleNamespace(MSKAuthTokenProvider=provider)
    jaas = "shadedmskiam.software.amazon.msk.auth.iam.IAMLoginModule required;"
    handler = "shadedmskiam.software.amazon.msk.auth.iam.IAMClientCallbackHandler"
    given = sasl("AWS_MSK_IAM", jaas) | {"sasl.client.callback.handler.class": handler}
    servers = "b-1.x.c2.kafka.eu-west-1.amazonaws.com:9098"
    monkeypatch.setitem(sys.modules, "aws_msk_iam_sasl_signer", None)
    with pytest.raises(BadInput, match="pip install aws-msk-iam-sasl-signer-python"):
        settings_of(given, servers)
    monkeypatch.setitem(sys.modules, "aws_msk_iam_sasl_signer", signer)
    made = settings_of(given, servers)
    assert made["sasl.mechanism"] == "OAUTHBEARER"
    assert made["oauth_cb"](None) == ("token of eu-west-1", 7.0)
    with pytest.raises(BadInput, match="tells the region"):
        settings_of(given)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"security.protocol": "TLS"}, "security.protocol is none of Kafka's"),
        (sasl("PLAINER", PLAIN), "sasl.mechanism is none that librdkafka has"),
        (sasl("PLAIN", ""), "sasl.jaas.config is missing; give its PlainLoginModule"),
        (sasl("SCRAM-SHA-256", PLAIN), "sasl.jaas.config is of another mechanism; give its ScramLoginModule"),
        (sasl("PLAIN", f"PlainLoginModule {SECRET}"), "sasl.jaas.config can't be read"),
        (sasl("PLAIN", f'PlainLoginModule required password="{SECRET};'), "sasl.jaas.config can't be read"),
        (sasl("PLAIN", "PlainLoginModule required password=x;"), "sasl.jaas.config has no username"),
        (
            sasl("SCRAM-SHA-256", f'ScramLoginModule required username=a password={SECRET} tokenauth="true";'),
            "sasl.jaas.config has tokenauth, which is known to a JVM alone",
        ),
        (
            sasl("PLAIN", PLAIN, sasl_client_callback_handler_class="x.Y"),
            'sasl.client.callback.handler.class is known to a JVM alone; '
            'give sasl.client.callback.handler.class another value under kafka.asking, or "" for none',
        ),
        (sasl("OAUTHBEARER", "OAuthBearerLoginModule required;"), "sasl.oauthbearer.token.endpoint.url is no address"),
        (
            sasl(
                "OAUTHBEARER",
                f"OAuthBearerLoginModule required clientSecret={SECRET};",
                sasl_oauthbearer_token_endpoint_url="https://idp",
            ),
            "sasl.jaas.config has no clientId",
        ),
        (sasl("GSSAPI", "x.Krb5LoginModule required useTicketCache=true;"), "sasl.jaas.config has no service.name"),
        ({"security.protocol": "SSL", "ssl.engine.factory.class": "x"}, "ssl.engine.factory.class is known to a JVM alone"),
        ({"security.protocol": "SSL", "ssl.truststore.location": "no-such"}, "can't be read (FileNotFoundError)"),
    ],
)  # fmt: skip
def test_what_cannot_be_said_is_refused_by_its_name(options, said):
    with pytest.raises(BadInput) as error:
        settings_of(options)
    assert error.value.sentence.startswith("conf's kafka: ")
    assert said in error.value.sentence
    assert SECRET not in error.value.sentence


def test_times():
    assert milliseconds({}, "default.api.timeout.ms", 5) == 5
    assert milliseconds({"default.api.timeout.ms": " 70 "}, "default.api.timeout.ms", 5) == 70
    with pytest.raises(BadInput, match=r"conf's kafka: default\.api\.timeout\.ms is no time"):
        milliseconds({"default.api.timeout.ms": "7 s"}, "default.api.timeout.ms", 5)


def test_what_asks_may_be_told_otherwise_than_what_reads(tmp_path):
    """A store of Java's own stays Spark's; brokers are asked with another."""
    (tmp_path / "t.jks").write_bytes(b"\xfe\xed\xfe\xed\x00\x00\x00\x02")
    options = {"security.protocol": "SSL", "ssl.truststore.location": str(tmp_path / "t.jks")}
    topic = topic_of("kafka://127.0.0.1:1/logs", "--logs")
    with pytest.raises(
        BadInput, match=r"ssl\.truststore\.location is a store that a JVM alone reads \(JKS\); copy it"
    ):
        extent_of(topic, KafkaConf(options))
    asking = {"ssl.truststore.location": str(tmp_path / "none.pem")}
    with pytest.raises(BadInput, match="FileNotFoundError"):
        extent_of(topic, KafkaConf(options, asking))


def test_without_its_client_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "confluent_kafka", None)
    with pytest.raises(BadInput, match=r"pip install 'kipwatch\[kafka\]'"):
        extent_of(topic_of("kafka://127.0.0.1:1/logs", "--logs"), KafkaConf())


def test_a_client_that_cannot_be_made_tells_no_value():
    options = sasl("PLAIN", PLAIN) | {"client.dns.lookup": SECRET}
    with pytest.raises(BadInput, match=r"its client can't be made \(client\.dns\.lookup\)") as error:
        extent_of(topic_of("kafka://127.0.0.1:1/logs", "--logs"), KafkaConf(options))
    assert SECRET not in error.value.sentence


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trust store and a client's own key with its chain, as PKCS12 and as PEM."""
    folder, how = tmp_path_factory.mktemp("stores"), BestAvailableEncryption(SECRET.encode())
    root = Identity("root")
    middle = Identity("middle", root)
    client = Identity("client", middle)
    (folder / "root.pem").write_text(root.pem)
    trusted = [PKCS12Certificate(one.certificate, name) for one, name in ((root, b"r"), (middle, b"m"))]
    (folder / "trust.p12").write_bytes(serialize_java_truststore(trusted, how))
    chain = [middle.certificate, root.certificate]
    own = serialize_key_and_certificates(b"own", client.key, client.certificate, chain, how)
    (folder / "own.p12").write_bytes(own)
    (folder / "own.pem").write_text(client.key_pem(how) + client.pem + middle.pem)
    (folder / "key.pem").write_text(client.key_pem())
    (folder / "chain.pem").write_text(client.pem + middle.pem)
    return folder


def tls(stores, **names):
    return {"security.protocol": "SSL"} | {
        f"ssl.{key.replace('_', '.')}": str(stores / value) if key.endswith("location") else value
        for key, value in names.items()
    }


def test_trust_as_pem_and_pkcs12_whatever_its_type_says(stores):
    root = (stores / "root.pem").read_text()
    inline = tls(stores, truststore_certificates=root, truststore_type="PEM")
    assert settings_of(inline)["ssl.ca.pem"] == root
    assert settings_of(tls(stores, truststore_location="root.pem"))["ssl.ca.pem"] == root
    of_java = tls(stores, truststore_location="trust.p12", truststore_password=SECRET, truststore_type="JKS")
    assert settings_of(of_java)["ssl.ca.pem"].count("BEGIN CERTIFICATE") == 2
    assert root in settings_of(of_java)["ssl.ca.pem"]
    assert "ssl.ca.pem" not in settings_of(tls(stores))  # the system's
    with pytest.raises(
        BadInput, match=r"ssl\.truststore\.location is no PEM, and no PKCS12 that its password opens"
    ) as error:
        settings_of(of_java | {"ssl.truststore.password": f"not {SECRET}"})
    assert SECRET not in error.value.sentence


def test_the_clients_own_certificate_with_its_chain(stores):
    """A store of PKCS12 as it is; PEM by its text, in which the key is looked for as well."""
    by_file = settings_of(tls(stores, keystore_location="own.p12", keystore_password=SECRET))
    assert by_file["ssl.keystore.location"] == str(stores / "own.p12")
    assert by_file["ssl.keystore.password"] == SECRET
    locked = settings_of(tls(stores, keystore_location="own.pem", key_password=SECRET, keystore_type="PEM"))
    assert locked["ssl.key.pem"] == locked["ssl.certificate.pem"] == (stores / "own.pem").read_text()
    assert locked["ssl.key.password"] == SECRET
    key, chain = ((stores / name).read_text() for name in ("key.pem", "chain.pem"))
    inline = settings_of(tls(stores, keystore_key=key, keystore_certificate_chain=chain))
    assert inline["ssl.key.pem"] == inline["ssl.certificate.pem"] == f"{key}\n{chain}"
    assert "ssl.key.password" not in inline


@pytest.mark.parametrize(
    ("own", "name"),
    [
        pytest.param(
            {"keystore_location": "own.p12", "keystore_password": "x"},
            "keystore.location",
            id="another password",
        ),
        pytest.param(
            {"keystore_location": "trust.p12", "keystore_password": SECRET}, "keystore.location", id="no key"
        ),
        pytest.param(
            {"keystore_location": "own.pem", "key_password": "x"}, "key.pem", id="another password of a key"
        ),
        pytest.param(
            {"keystore_location": "own.pem"}, "key.pem", id="none, and nobody at a terminal is asked"
        ),
        pytest.param({"keystore_location": "root.pem"}, "key.pem", id="PEM without a key"),
        pytest.param({"truststore_location": "key.pem"}, "ca.pem", id="no certificate"),
    ],
)
def test_a_store_that_no_client_can_be_made_with_is_named(stores, own, name):
    with pytest.raises(BadInput, match=rf"its client can't be made \(ssl\.{name}\)") as error:
        extent_of(topic_of("kafka://127.0.0.1:1/logs", "--logs"), KafkaConf(tls(stores, **own)))
    assert SECRET not in error.value.sentence


def test_the_name_in_a_certificate_is_checked_unless_it_is_said_not_to_be(stores):
    name = "ssl.endpoint.identification.algorithm"
    assert settings_of(tls(stores))[name] == "https"
    assert settings_of(tls(stores) | {name: ""})[name] == "none"
