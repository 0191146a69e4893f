"""Who may look, and what every answer carries."""

import base64
from ipaddress import ip_network

import pytest
from werkzeug.security import generate_password_hash

from conf.settings import load_conf
from dashboards.access import BASIC, PROXY, Access, is_loopback
from dashboards.app import create_app
from dashboards.settings import access_of
from jobs.commands.dashboard import serve_dashboard
from tests.dashboards.lake import good_lake
from transforms.errors import BadInput

USERS = {"anna": generate_password_hash("s3cret", "pbkdf2:sha256:1000")}
HEADERS = {
    "Content-Security-Policy",
    "X-Content-Type-Options",
    "X-Frame-Options",
    "Referrer-Policy",
    "Cross-Origin-Opener-Policy",
    "Cross-Origin-Resource-Policy",
    "Permissions-Policy",
}


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    return good_lake(tmp_path_factory.mktemp("lake"))


def said(name, password):
    return {"Authorization": "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()}


def asked(lake, access, path="/", headers=None, **more):
    return create_app(lake, access).server.test_client().get(path, headers=headers or {}, **more)


@pytest.mark.parametrize(
    ("host", "is_local"),
    [
        ("127.0.0.1", 1),
        ("127.8.0.9", 1),
        ("localhost", 1),
        ("::1", 1),
        ("[::1]", 1),
        ("0.0.0.0", 0),
        ("::", 0),
        ("a.b", 0),
    ],
)
def test_what_only_this_machine_can_reach(host, is_local):
    assert is_loopback(host) == bool(is_local)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "kipwatch.example.org"])
def test_nobody_else_may_look_unless_asked_who_they_are(lake, host):
    with pytest.raises(BadInput, match="without being asked who they are"):
        serve_dashboard(lake, host, 8050, None)


@pytest.mark.parametrize("name", ["localhost:8050", "127.0.0.1", "[::1]:8050"])
def test_this_machine_is_answered(lake, name):
    assert asked(lake, Access(), headers={"Host": name}).status_code == 200


@pytest.mark.parametrize("name", ["rebound.example.org:8050", "127.0.0.1.example.org", "example.org"])
def test_a_name_that_is_pointed_at_this_machine_is_not(lake, name):
    assert asked(lake, Access(), headers={"Host": name}).status_code == 403


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        (said("anna", "s3cret"), 200),
        (said("anna", "wrong"), 401),
        (said("bert", "s3cret"), 401),
        (said("bert", ""), 401),
        (said("anna", ""), 401),
        ({"Authorization": "Basic ???"}, 401),
        ({"Authorization": "Bearer s3cret"}, 401),
    ],
)
@pytest.mark.parametrize("path", ["/", "/_dash-layout", "/assets/shell.js"])
def test_users_by_name_and_password(lake, headers, status, path):
    answer = asked(lake, Access(BASIC, USERS), path, headers)
    assert answer.status_code == status
    assert ("WWW-Authenticate" in answer.headers) == (status == 401)


def test_a_password_that_was_right_is_right_again_and_a_wrong_one_stays_wrong(lake):
    client = create_app(lake, Access(BASIC, USERS)).server.test_client()
    told = [
        client.get("/", headers=said("anna", word)).status_code
        for word in ("s3cret", "s3cret", "x", "s3cret")
    ]
    assert told == [200, 200, 401, 200]


@pytest.mark.parametrize(
    ("peer", "header", "status"),
    [
        ("10.0.0.7", "anna", 200),
        ("10.0.0.7", "", 403),
        ("10.0.0.8", "anna", 403),
        ("10.1.255.255", "anna", 200),
        ("10.2.0.0", "anna", 403),
        ("::1", "anna", 403),
    ],
)
def test_a_proxy_is_believed_only_from_its_address(lake, peer, header, status):
    proxies = frozenset(map(ip_network, ("10.0.0.7", "10.1.0.0/16")))
    access = Access(PROXY, header="X-User", proxies=proxies)
    asked_by = {"REMOTE_ADDR": peer}
    assert asked(lake, access, headers={"X-User": header}, environ_overrides=asked_by).status_code == status


@pytest.mark.parametrize("path", ["/", "/_dash-layout", "/assets/kipwatch.css", "/health", "/nowhere"])
def test_every_answer_carries_the_headers(lake, path):
    answer = asked(lake, Access(), path)
    assert set(answer.headers.keys()) >= HEADERS
    assert (answer.headers["Cache-Control"] == "no-store") == ("assets" not in path)


def test_a_refusal_carries_them_too(lake):
    assert set(asked(lake, Access(BASIC, USERS)).headers.keys()) >= HEADERS


def test_health_tells_a_probe_whether_the_lake_can_be_read_and_nothing_else(lake, tmp_path):
    well, ill = (asked(where, Access(BASIC, USERS), "/health") for where in (lake, tmp_path / "none"))
    assert (well.status_code, well.json) == (200, {"lake": "ok", "status": "ok"})
    assert (ill.status_code, ill.json) == (503, {"lake": "no_lake", "status": "unavailable"})


def conf(tmp_path, text):
    (tmp_path / "conf.yaml").write_text(f"dashboard: {{{text}}}", encoding="utf-8")
    return load_conf(tmp_path / "conf.yaml").dashboard


def test_what_conf_says(tmp_path):
    users = tmp_path / "users"
    users.write_text(f"anna:{USERS['anna']}\n", encoding="utf-8")
    assert access_of(conf(tmp_path, ""), "c") == Access()
    assert access_of(conf(tmp_path, f"auth: basic, users_file: {users}"), "c") == Access(BASIC, USERS)
    behind = access_of(conf(tmp_path, "auth: proxy, proxies: [10.0.0.7]"), "c")
    assert (behind.header, behind.proxies) == ("X-Forwarded-User", {ip_network("10.0.0.7")})


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("auth: all", "dashboard.auth is 'all'"),
        ("auth: basic", "users_file is not set"),
        ("auth: basic, users_file: no-such-file", "can't be read"),
        ("auth: proxy", "proxies names none"),
        ("auth: proxy, proxies: 10.0.0.7", "proxies is '10.0.0.7'; give a list"),
        ("auth: proxy, proxies: [ingress]", "dashboard.proxies: 'ingress' does not appear to be"),
        ("auth: proxy, proxies: [10.0.0.7/8]", "dashboard.proxies: 10.0.0.7/8 has host bits set"),
    ],
)
def test_what_conf_can_not_mean(tmp_path, text, problem):
    with pytest.raises(BadInput, match=problem):
        access_of(conf(tmp_path, text), "c")


@pytest.mark.parametrize("lines", ["", "anna", "anna:plain", "anna:scrypt:1\nanna:scrypt:2"])
def test_a_users_file_that_lets_nobody_or_anybody_in_is_refused(tmp_path, lines):
    (tmp_path / "users").write_text(lines, encoding="utf-8")
    with pytest.raises(BadInput, match="make its lines with"):
        access_of(conf(tmp_path, f"auth: basic, users_file: {tmp_path / 'users'}"), "c")
