"""A broker that asks who is there, over TLS: the same options of Java's consumer lead to it."""

import time
from collections.abc import Iterator, Mapping

import pytest
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption
from cryptography.hazmat.primitives.serialization.pkcs12 import (
    PKCS12Certificate,
    serialize_java_truststore,
    serialize_key_and_certificates,
)

from conf.settings import KafkaConf
from jobs.inputs.brokers import BrokerAway, extent_of
from lab.ports import free_ports
from lab.record.broker import Broker
from lab.record.producer import Producer
from tests.identities import Identity
from transforms.plans.topics import topic_of

MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule required"
PASSWORD = 'a;b \\"c\\"'  # as a login has it
STORE = "store-password"


@pytest.fixture(scope="module")
def guarded(broker: Broker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[str, str]]]:
    """Its ports (by SASL, by certificate), and options that it is content with; in the worker that has the other broker."""
    folder, how = tmp_path_factory.mktemp("guarded"), BestAvailableEncryption(STORE.encode())
    root = Identity("root")
    middle = Identity("middle", root)
    (folder / "root.p12").write_bytes(
        serialize_java_truststore([PKCS12Certificate(root.certificate, b"root")], how)
    )
    for name in ("server", "client"):
        own = Identity(name, middle)
        store = serialize_key_and_certificates(
            name.encode(), own.key, own.certificate, [middle.certificate], how
        )
        (folder / f"{name}.p12").write_bytes(store)
        (folder / f"{name}.pem").write_text(own.key_pem(how) + own.pem + middle.pem)
    plain, direct, sasl, certified, controller = free_ports(5)
    ports = {"PLAINTEXT": plain, "DIRECT": direct, "ASKED": sasl, "CERTIFIED": certified}
    listeners = ",".join(f"{name}://127.0.0.1:{port}" for name, port in ports.items())
    kinds = {
        "PLAINTEXT": "PLAINTEXT",
        "DIRECT": "PLAINTEXT",
        "CONTROLLER": "PLAINTEXT",
        "ASKED": "SASL_SSL",
        "CERTIFIED": "SSL",
    }
    stores = {
        "truststore.location": folder / "root.p12",
        "truststore.password": STORE,
        "truststore.type": "PKCS12",
        "keystore.password": STORE,
        "keystore.type": "PKCS12",
    }
    in_a_file = PASSWORD.replace("\\", "\\\\")
    made = Broker(
        folder,
        others={
            "listeners": f"{listeners},CONTROLLER://127.0.0.1:{controller}",
            "advertised.listeners": listeners,
            "controller.quorum.voters": f"1@127.0.0.1:{controller}",
            "listener.security.protocol.map": ",".join(f"{name}:{kind}" for name, kind in kinds.items()),
            "sasl.enabled.mechanisms": "PLAIN",
            "listener.name.asked.plain.sasl.jaas.config": f'{MODULE} user_ann="{in_a_file}";',
            "listener.name.certified.ssl.client.auth": "required",
            "ssl.keystore.location": folder / "server.p12",
        }
        | {f"ssl.{name}": value for name, value in stores.items()},
    )
    made.start()
    Producer(f"127.0.0.1:{plain}").topic("logs", 2)
    options = {f"ssl.{name}": str(value) for name, value in stores.items()} | {
        "ssl.keystore.location": str(folder / "client.p12"),
        "sasl.mechanism": "PLAIN",
        "sasl.jaas.config": login(PASSWORD),
    }
    yield f"{sasl},{certified}", options
    made.stop()


def login(password: str) -> str:
    return f'{MODULE} username="ann" password="{password}";'


def ask(port: str, options: Mapping[str, str]) -> dict[int, tuple[int, int]]:
    return dict(extent_of(topic_of(f"kafka://127.0.0.1:{port}/logs", "--logs"), KafkaConf(options)).offsets)


def test_a_password_and_a_certificate_each_open_it(guarded):
    """The client's certificate with the one between it and the root: brokers know the root alone."""
    ports, options = guarded[0], dict(guarded[1])
    sasl, certified = ports.split(",")
    assert ask(sasl, options | {"security.protocol": "SASL_SSL"}) == {0: (0, 0), 1: (0, 0)}
    options["security.protocol"] = "SSL"
    assert ask(certified, options) == {0: (0, 0), 1: (0, 0)}
    pem = options["ssl.keystore.location"].replace(".p12", ".pem")
    as_text = {"ssl.keystore.location": pem, "ssl.keystore.type": "PEM", "ssl.key.password": STORE}
    assert ask(certified, options | as_text) == {0: (0, 0), 1: (0, 0)}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        pytest.param(
            {"sasl.jaas.config": login("another")}, "Local: Authentication failure", id="a wrong password"
        ),
        pytest.param(
            {"ssl.truststore.location": ""}, "Local: SSL error", id="an authority that nobody trusts"
        ),
    ],
)
def test_what_no_second_try_mends_is_said_at_once(guarded, wrong, said):
    ports, options = guarded
    began = time.monotonic()
    with pytest.raises(BrokerAway) as error:
        ask(ports.split(",")[0], options | {"security.protocol": "SASL_SSL"} | wrong)
    assert f"no answer from the brokers ({said})" in error.value.sentence
    assert time.monotonic() - began < 10
