# ruff: noqa: E501 (lines of logs are written whole)
"""No secret leaves the reader, wherever it stands and however it is quoted or cut."""

import io
import json
import re

import pytest

from tests.cpu import least_cpu_s
from tests.transforms.parse.typed import is_hinted
from transforms.parse.layouts.detect import detect_layout
from transforms.parse.records.build import Unparsed
from transforms.parse.records.reader import ChunkReader
from transforms.parse.records.spans import ReadSettings
from transforms.parse.secrets.redact import HINT_PATTERN, KAFKA_WORDS, REDACTED, WITHOUT_THEM, redact

CANARY = "Hunter2canaryXq9"


def one_line(text: str) -> str:
    """As in a line of JSON, where newlines are escaped."""
    return text.replace("\n", "\\n")


SECRETS = [
    pytest.param(f"ssl.keystore.password = {CANARY}", id="dump"),
    pytest.param(f"ssl.key.password={CANARY} more", id="property"),
    pytest.param(
        f'sasl.jaas.config = org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="{CANARY}";',
        id="jaas",
    ),
    pytest.param(
        f"org.apache.kafka.common.security.scram.ScramLoginModule required username='u' password='{CANARY}';",
        id="login module",
    ),
    pytest.param(
        f'{{"sasl.jaas.config":"x.LoginModule required password=\\"{CANARY}\\";"}}', id="jaas in JSON"
    ),
    pytest.param(f'{{"password": "{CANARY}", "user": "u"}}', id="JSON"),
    pytest.param(f'{{\\"password\\": \\"{CANARY}\\"}}', id="JSON in JSON"),
    pytest.param(f"Authorization: Bearer {CANARY}", id="bearer header"),
    pytest.param(f"Authorization: Basic {CANARY}==", id="basic header"),
    pytest.param(f"sent with bearer {CANARY}.a.b", id="bearer in prose"),
    pytest.param(f"jdbc:postgresql://app:{CANARY}@db:5432/orders", id="URL with user"),
    pytest.param(f"https://:{CANARY}@registry.example.com/", id="URL without user"),
    pytest.param(f"token eyJhbGciOiJIUzI1NiJ9.eyJ{CANARY}.sig", id="JWT"),
    pytest.param(
        f"-----BEGIN RSA PRIVATE KEY-----\nMIIE{CANARY}\nxyz\n-----END RSA PRIVATE KEY-----", id="PEM"
    ),
    pytest.param(
        f"ssl.keystore.key=-----BEGIN PRIVATE KEY----- MIIE{CANARY} -----END PRIVATE KEY-----",
        id="PEM in a line",
    ),
    pytest.param(f"-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIE{CANARY}", id="PEM, cut"),
    pytest.param(f"api_key={CANARY}", id="api key"),
    pytest.param(f"X-Api-Key: {CANARY}", id="api key header"),
    pytest.param(f"client_secret={CANARY}&grant_type=x", id="form"),
    pytest.param(f"aws_secret_access_key = {CANARY}", id="AWS secret"),
    pytest.param("using AKIAHUNTER2CANARYXQ9 now", id="AWS key id"),
    pytest.param(f"basic.auth.user.info=user:{CANARY}", id="registry"),
    pytest.param(f"-Djavax.net.ssl.trustStorePassword={CANARY} -jar x", id="JVM option"),
    pytest.param(f"--password {CANARY} --topic t", id="command line"),
    pytest.param(f"<password>{CANARY}</password>", id="XML"),
    pytest.param(f"login with password '{CANARY}' failed", id="prose"),
    pytest.param(f"a dump:\n\tdb.password = two words, {CANARY}; and more", id="value with blanks in a dump"),
    pytest.param(f"access_token={CANARY}", id="token"),
    pytest.param(f"SharedAccessKey={CANARY};EntityPath=x", id="shared access key"),
    pytest.param(f'password="{CANARY}', id="quoted, cut"),
]


@pytest.mark.parametrize("text", SECRETS)
def test_a_secret_is_replaced(text):
    clean = redact(text)
    assert CANARY.lower() not in clean.lower()
    assert REDACTED in clean
    assert redact(clean) == clean


@pytest.mark.parametrize("wrap", ["{}", "x {} y", "{}\nnext line"])
@pytest.mark.parametrize("text", SECRETS)
def test_a_secret_is_replaced_wherever_it_stands(text, wrap):
    assert CANARY.lower() not in redact(wrap.format(text)).lower()


@pytest.mark.parametrize(
    "text",
    [
        "\tssl.keystore.password = null",
        "\tssl.key.password = [hidden]",
        "\tsasl.oauthbearer.token.endpoint.url = null",
        "\tsasl.login.callback.handler.class = null",
        "\tssl.keystore.location = /etc/kafka/ks.p12",
        "\tbootstrap.servers = [SASL_SSL://broker:9093]",
        "[Producer clientId=p] Node 1 disconnected.",
        "GET http://registry:8081/subjects/orders-value/versions/1",
        "Token bucket is full; basic settings; digest of nothing",
        "a record to topic global-id-store-changelog, by glue-schema-registry-serde-2",
        "Disconnecting from node 1 due to socket connection setup timeout. The timeout value is 9728 ms.",
        "Failed to join group payouts-basic: NodeNotReadyError: coordinator-1",
    ],
)
def test_what_is_no_secret_stays(text):
    assert redact(text) == text


def test_the_hints_cover_every_secret():
    for secret in SECRETS:
        assert is_hinted(secret.values[0]), secret.id


@pytest.mark.parametrize("text", SECRETS)
@pytest.mark.parametrize("form", ["kafka", "continuation", "json", "no_head", "bad_json", "docker"])
def test_nothing_that_is_read_holds_a_secret(text, form):
    line = "[2026-11-21 02:19:38,772] INFO {} (org.apache.kafka.clients.NetworkClient)\n"
    data = {
        "kafka": line.format("started") + line.format(one_line(text)),
        "continuation": line.format("started\n" + text),
        "json": json.dumps({"@timestamp": "2026-11-21T02:19:38Z", "level": "INFO", "logger": "org.apache.kafka.A", "message": text}),
        "no_head": text + "\n" + line.format("started"),
        "bad_json": '{"log": "' + one_line(text) + "\n",
        "docker": json.dumps({"log": line.format(one_line(text)), "stream": "stdout", "time": "2026-11-21T02:19:38Z"}),
    }[form].encode()  # fmt: skip
    for keep in ("kafka", "all"):
        reader = ChunkReader(detect_layout(data), "s", settings=ReadSettings(keep=keep))
        for piece in reader.read(io.BytesIO(data)):
            shown = piece.text if isinstance(piece, Unparsed) else piece.text + piece.message
            assert CANARY.lower() not in shown.lower()


@pytest.mark.parametrize("cut", range(1, len(CANARY) + 3))
def test_a_secret_cut_at_the_bound_leaks_no_half(cut):
    secret = f"password={CANARY}"
    head = "[2026-11-21 02:19:38,772] INFO org.apache.kafka. "
    data = f"{head}{secret} and on (org.apache.kafka.A)\n".encode()
    settings = ReadSettings(max_record_bytes=len(head) + len(secret) - cut + 1)
    reader = ChunkReader(detect_layout(data), "s", settings=settings)
    (record,) = reader.read(io.BytesIO(data))
    assert record.is_truncated
    assert CANARY[:3].lower() not in record.text.lower()


def test_hostile_text_takes_no_long_time():
    for piece in (
        "http://a:",
        'password="',
        "eyJ",
        "a.",
        "-----BEGIN PRIVATE KEY-----",
        "secret=\\",
        "Bearer ",
        "token",
    ):
        redact(piece * (200_000 // len(piece)))


@pytest.mark.parametrize(
    "unit", ["-", "a-", "\n", "\t", "password", "-password", "auth_", "\n password", "a.token"]
)
def test_no_text_costs_the_square_of_its_size(unit):
    """Before names were bounded, 8 KB of dashes took half a minute."""
    hostile = "password " + unit * (100_000 // len(unit))
    assert least_cpu_s(lambda: redact(hostile), tries=1) < 5


REQUEST = (
    "Sending PRODUCE request with header RequestHeader(apiKey=PRODUCE, apiVersion=11, clientId=p) to node 1"
)


@pytest.mark.parametrize(
    ("text", "is_shown"),
    [
        (REQUEST, True),
        (REQUEST.replace("PRODUCE,", f"{CANARY},"), False),
        (f"{REQUEST} apiKey={CANARY}", False),
        (f"{REQUEST} password={CANARY}", False),
        (f"RequestHeader(apiKey=PRODUCE{CANARY}, apiVersion=1", False),
    ],
)
def test_the_name_of_a_request_is_no_secret_and_hides_none(text: str, is_shown: bool) -> None:
    clean = redact(text)
    assert (clean == text) is is_shown
    assert CANARY not in clean


@pytest.mark.parametrize(
    "uuid", ["eaaad79d-c77f-ab72-4c99-1c1b1f76916d", "869b9e98-a3dd-eaaa-e848-af45d8b0922b"]
)
def test_a_generated_client_id_that_holds_a_tokens_beginning_stays(uuid: str) -> None:
    line = f"stream-thread [orders-{uuid}-StreamThread-48] Shutdown complete"
    assert redact(line) == line


API_VERSIONS = (
    "Received API_VERSIONS response for request with header RequestHeader(apiKey=API_VERSIONS, apiVersion=4): "
    "ApiVersionsResponseData(apiKeys=[ApiVersion(apiKey=0, minVersion=0, maxVersion=13)], finalizedFeatures="
    "[FinalizedFeatureKey(name='share.version', maxVersionLevel=1)])"
)
DUMP = (
    "ConsumerConfig values: \n\tkey.deserializer = class org.apache.kafka.common.serialization.StringDeserializer\n"
    "\tsasl.jaas.config = null\n\tsasl.login.refresh.window.factor = 0.8\n\tsasl.oauthbearer.sub.claim.name = sub\n"
    "\tssl.key.password = [hidden]\n\tssl.keystore.type = JKS\n"
)

COORDINATOR = "FindCoordinator request for key CoordinatorKey(idValue='orders', type=GROUP) returned an error. Will retry"


@pytest.mark.parametrize("length", [4, 12])
def test_a_token_where_a_dump_has_a_class_is_looked_at_however_long_it_is(length):
    token = f"eyJhbGciOiJub25lIn0.eyJ{'QmFzZTY0' * length}.{'c2lnbmF0dXJl' * length}"
    assert token not in redact(f"ConsumerConfig values: \n\tgroup.id = g\n\tx.credentials.type = {token}\n")


@pytest.mark.parametrize("text", [API_VERSIONS, DUMP, COORDINATOR])
def test_what_kafka_itself_says_of_keys_is_no_hint_and_hides_none(text):
    bare = re.sub(KAFKA_WORDS, WITHOUT_THEM, text)
    assert re.search(HINT_PATTERN, bare) is None
    assert redact(text) is text
    for secret in ("\tssl.keystore.password = Tr0ub4dor\n", " password=Tr0ub4dor,"):
        assert "Tr0ub4dor" not in redact(text + secret)
        assert "Tr0ub4dor" not in redact(secret + text)
