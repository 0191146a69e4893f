"""Settings of Kafka's Java consumer, as Spark's source takes them, for librdkafka, by which the brokers are asked.

What can't be said to both for certain is refused by its name, never by its value: `kafka.asking` in conf has what is laid
over it for the asking alone (docs/decisions/0050-topics-without-a-jvm.md).
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from conf.kafka_tls import refused, tls_settings
from transforms.errors import BadInput
from transforms.when_used import when_used

# As they are; what else has nothing to do with security is of reading, or of how a JVM waits.
SAME = ("client.id", "client.dns.lookup")
PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
# The login module of each mechanism, without the packages that runtimes put it into.
MODULES = {
    "PLAIN": "PlainLoginModule",
    "SCRAM-SHA-256": "ScramLoginModule",
    "SCRAM-SHA-512": "ScramLoginModule",
    "OAUTHBEARER": "OAuthBearerLoginModule",
    "GSSAPI": "Krb5LoginModule",
    "AWS_MSK_IAM": "IAMLoginModule",
}
# Whose part a class has in a JVM, which librdkafka does by itself.
HANDLERS = {
    "OAUTHBEARER": ("sasl.login.callback.handler.class", "OAuthBearerLoginCallbackHandler"),
    "AWS_MSK_IAM": ("sasl.client.callback.handler.class", "IAMClientCallbackHandler"),
}
CREDENTIALS = "sasl.oauthbearer.client.credentials.client"
SASL = when_used(
    r"sasl\.(mechanism|jaas\.config|kerberos\..+|login\.(refresh|retry|connect|read)\..+"
    r"|oauthbearer\.(token\.endpoint\.url|scope|client\.credentials\.client\.(id|secret)))"
)
JAAS = when_used(
    r"(?s)\s*(?P<module>[\w.$]+)\s+(required|requisite|sufficient|optional)(?P<options>.*?);?\s*"
)
OPTION = when_used(r'(?s)\s+(?P<name>[\w.$-]+)\s*=\s*("(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<bare>[^\s";]+))')
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
# Of Kerberos' login: what librdkafka does in any case.
USUAL = {
    "debug": ("true", "false"),
    "doNotPrompt": ("true",),
    "storeKey": ("true", "false"),
    "renewTGT": ("true", "false"),
}
MSK_REGION = when_used(r"\.kafka(?:-serverless)?\.([a-z0-9-]+)\.amazonaws\.com")


def client_settings(given: Mapping[str, str], servers: str) -> dict[str, Any]:
    """What confluent_kafka.admin.AdminClient is made with. given: an empty text is as good as nothing.

    Raises: BadInput for what the client can't be told.
    """
    options = {name: value for name, value in given.items() if value.strip()}
    settings: dict[str, Any] = {name: options[name] for name in SAME if name in options}
    protocol = options.get("security.protocol", "PLAINTEXT").upper()
    if protocol not in PROTOCOLS:
        raise refused("security.protocol", "is none of Kafka's", f"give one of {', '.join(PROTOCOLS)}")
    settings |= {"bootstrap.servers": servers, "security.protocol": protocol}
    if protocol.endswith("SSL"):
        # Without a name to check the certificate is looked at all the same, as by Java.
        is_named = given.get("ssl.endpoint.identification.algorithm") != ""
        settings |= tls_settings(options, is_named=is_named)
    if protocol.startswith("SASL"):
        settings |= _sasl(options, servers)
    return settings


def milliseconds(options: Mapping[str, str], name: str, default: int) -> int:
    """A time of the options.

    Raises: BadInput for anything but a whole number.
    """
    text = options.get(name, "").strip() or str(default)
    if not text.isdecimal():
        raise refused(name, "is no time", "give a whole number of ms")
    return int(text)


def _sasl(options: Mapping[str, str], servers: str) -> dict[str, Any]:
    mechanism = options.get("sasl.mechanism", "GSSAPI").upper()
    if mechanism not in MODULES:
        raise refused("sasl.mechanism", "is none that librdkafka has", f"give one of {', '.join(MODULES)}")
    handler, done_by_itself = HANDLERS.get(mechanism, ("", ""))
    for name, value in options.items():
        is_handled = name == handler and value.rpartition(".")[2] == done_by_itself
        if name.startswith("sasl.") and not is_handled and not SASL.fullmatch(name):
            raise refused(name, "is known to a JVM alone")
    login = _login(options, MODULES[mechanism])
    made: dict[str, Any] = {"sasl.mechanism": mechanism}
    if mechanism == "OAUTHBEARER":
        made |= _client_credentials(options, login)
    elif mechanism == "GSSAPI":
        made |= _kerberos(options, login)
    elif mechanism == "AWS_MSK_IAM":
        made = {"sasl.mechanism": "OAUTHBEARER", "oauth_cb": _amazons(servers)}
    else:
        for name in ("username", "password"):
            if name not in login:
                raise refused("sasl.jaas.config", f"has no {name}", f'give {name}="..." in it')
            made[f"sasl.{name}"] = login.pop(name)
    for name, value in login.items():
        if value.lower() not in USUAL.get(name, ()):
            raise refused("sasl.jaas.config", f"has {name}, which is known to a JVM alone")
    return made


def _login(options: Mapping[str, str], module: str) -> dict[str, str]:
    """What a JAAS configuration of that login module says."""
    if "sasl.jaas.config" not in options:
        raise refused("sasl.jaas.config", "is missing", f"give its {module}")
    found = JAAS.fullmatch(options["sasl.jaas.config"])
    if found is None or OPTION.sub("", found["options"]).strip():
        raise refused("sasl.jaas.config", "can't be read", f'give {module} required name="value" ...;')
    if found["module"].rpartition(".")[2] != module:
        raise refused("sasl.jaas.config", "is of another mechanism", f"give its {module}")
    return {
        one["name"]: one["bare"] or _unescaped(one["quoted"]) for one in OPTION.finditer(found["options"])
    }


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: ESCAPES.get(found[1], found[1]), text, flags=re.DOTALL)


def _client_credentials(options: Mapping[str, str], login: dict[str, str]) -> dict[str, str]:
    """A token of a token endpoint; as options from Kafka 4.1 on, in the login before."""
    token, scope = "sasl.oauthbearer.token.endpoint.url", "sasl.oauthbearer.scope"
    made = {"sasl.oauthbearer.method": "oidc", token: options.get(token, "")}
    if not made[token].startswith(("https://", "http://")):
        raise refused(token, "is no address", "give a token endpoint")
    for name, of_options, of_login in (
        ("sasl.oauthbearer.client.id", f"{CREDENTIALS}.id", "clientId"),
        ("sasl.oauthbearer.client.secret", f"{CREDENTIALS}.secret", "clientSecret"),
        (scope, scope, "scope"),
    ):
        before = login.pop(of_login, "")
        if value := options.get(of_options) or before:
            made[name] = value
        elif name != scope:
            raise refused("sasl.jaas.config", f"has no {of_login}", f'give {of_login}="..." in it')
    extensions = {name: login.pop(name) for name in list(login) if name.startswith("extension_")}
    if extensions:
        of_all = (f"{name.removeprefix('extension_')}={value}" for name, value in extensions.items())
        made["sasl.oauthbearer.extensions"] = ",".join(of_all)
    return made


def _kerberos(options: Mapping[str, str], login: dict[str, str]) -> dict[str, str]:
    """A keytab, by which librdkafka calls kinit; it is for builds that have Kerberos."""
    of_login = {
        name: login.pop(name, "")
        for name in ("serviceName", "keyTab", "principal", "useKeyTab", "useTicketCache")
    }
    made = {
        "sasl.kerberos.service.name": options.get("sasl.kerberos.service.name") or of_login["serviceName"],
        "sasl.kerberos.principal": of_login["principal"],
        "sasl.kerberos.keytab": of_login["keyTab"],
    }
    for name, value in made.items():
        if not value:
            todo = "give serviceName, principal and keyTab under kafka.asking"
            raise refused("sasl.jaas.config", f"has no {name.rpartition('kerberos.')[2]}", todo)
    return made


def _amazons(servers: str) -> Callable[[str | None], tuple[str, float]]:
    """What gives a token by the identity that AWS's own library finds."""
    try:
        from aws_msk_iam_sasl_signer import MSKAuthTokenProvider
    except ImportError:
        todo = "pip install aws-msk-iam-sasl-signer-python"
        raise refused("sasl.mechanism", "AWS_MSK_IAM needs AWS's signer", todo) from None
    region = MSK_REGION.search(servers)
    if region is None:
        raise BadInput("is no broker of MSK", where=servers, todo="give its name, which tells the region")

    def token(_: str | None) -> tuple[str, float]:
        text, expires_ms = MSKAuthTokenProvider.generate_auth_token(region[1])
        return text, expires_ms / 1000

    return token
