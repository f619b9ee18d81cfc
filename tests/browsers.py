"""What browsers ask of the UI: its own pages, and pages of somebody else."""

from __future__ import annotations

PORT = 3000
OWN = {"host": "127.0.0.1:3000", "origin": "http://127.0.0.1:3000", "sec-fetch-site": "same-origin"}
JSON = {"content-type": "application/json"}
LINK = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}


Headers = dict[str, str] | list[tuple[str, str]]

ASKED: list[tuple[str, str, Headers]] = [
    ("GET", "/", {"host": "127.0.0.1:3000"}),
    ("GET", "/runs/7", {"host": "localhost:3000", "sec-fetch-site": "none"}),
    ("GET", "/_next/static/chunk.js", {"host": "[::1]:3000", "sec-fetch-site": "same-origin"}),
    ("HEAD", "/", {"host": "LOCALHOST:3000"}),
    ("GET", "/logs/7/out", OWN),
    ("POST", "/graphql", {**OWN, **JSON}),
    ("POST", "/graphql", {"host": "localhost:3000", "content-type": "Application/JSON; charset=utf-8"}),
    # Somebody follows a link in a message or a wiki.
    ("GET", "/runs/7", {"host": "127.0.0.1:3000", **LINK}),
]


CROSS = {**OWN, "sec-fetch-site": "cross-site"}
ATTACKS: dict[str, tuple[str, str, Headers]] = {
    "mutation by image": ("GET", "/graphql", {"host": OWN["host"]}),
    "mutation by image of a browser that tells": (
        "GET", "/graphql", {"host": OWN["host"], "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"},
    ),
    "mutation by link": ("GET", "/graphql", {"host": OWN["host"], **LINK}),
    "mutation by link with a slash": ("GET", "/graphql/", {"host": OWN["host"], **LINK}),
    "GraphiQL by link": ("GET", "/graphql", {"host": OWN["host"], **LINK, "accept": "text/html"}),
    "GraphiQL by hand": ("GET", "/graphql", {"host": OWN["host"], "sec-fetch-site": "none", "accept": "text/html"}),
    "a form": ("POST", "/graphql", {"host": OWN["host"], "content-type": "application/x-www-form-urlencoded"}),
    "a form of another origin": (
        "POST", "/graphql", {**OWN, "origin": "http://evil.example", "content-type": "multipart/form-data"},
    ),
    "text/plain": ("POST", "/graphql", {"host": OWN["host"], "content-type": "text/plain"}),
    "text/plain that mentions JSON": (
        "POST", "/graphql", {"host": OWN["host"], "content-type": "text/plain; x=application/json"},
    ),
    "no media type": ("POST", "/graphql", {"host": OWN["host"]}),
    "two media types": (
        "POST", "/graphql", [("host", OWN["host"]), ("content-type", "application/json"), ("content-type", "a/b")],
    ),
    "GraphQL as text": ("POST", "/graphql", {**OWN, "content-type": "application/graphql"}),
    "another origin": ("POST", "/graphql", {**OWN, **JSON, "origin": "http://evil.example"}),
    "another port of this machine": ("POST", "/graphql", {**OWN, **JSON, "origin": "http://127.0.0.1:8080"}),
    "another scheme": ("POST", "/graphql", {**OWN, **JSON, "origin": "https://127.0.0.1:3000"}),
    "an origin that begins alike": ("POST", "/graphql", {**OWN, **JSON, "origin": "http://127.0.0.1:3000.evil.example"}),
    "a sandboxed frame": ("POST", "/graphql", {**OWN, **JSON, "origin": "null"}),
    "an empty origin": ("POST", "/graphql", {**OWN, **JSON, "origin": ""}),
    "two origins": ("POST", "/graphql", [("host", OWN["host"]), ("origin", OWN["origin"]), ("origin", "null")]),
    "cross-site": ("POST", "/graphql", {**CROSS, **JSON}),
    "same-site": ("POST", "/graphql", {**OWN, **JSON, "sec-fetch-site": "same-site"}),
    "a word nobody knows": ("POST", "/graphql", {**OWN, **JSON, "sec-fetch-site": "Same-Origin"}),
    "a rebound name": ("POST", "/graphql", {**JSON, "host": "evil.example:3000", "sec-fetch-site": "same-origin"}),
    "a rebound name that reads": ("GET", "/", {"host": "evil.example:3000"}),
    "a rebound name with its origin": ("GET", "/", {"host": "evil.example:3000", "origin": "http://evil.example:3000"}),
    "another port as host": ("GET", "/", {"host": "127.0.0.1:8080"}),
    "no port": ("GET", "/", {"host": "127.0.0.1"}),
    "no host": ("GET", "/", {}),
    "two hosts": ("GET", "/", [("host", "127.0.0.1:3000"), ("host", "evil.example")]),
    "a host that begins alike": ("GET", "/", {"host": "127.0.0.1:3000.evil.example"}),
    "a log as script": ("GET", "/logs/7/out", {"host": OWN["host"], "sec-fetch-site": "cross-site"}),
    "a frame": ("GET", "/", {"host": OWN["host"], **LINK, "sec-fetch-dest": "iframe"}),
    "a form that navigates": ("POST", "/", {"host": OWN["host"], **LINK}),
    "materialisation": ("POST", "/report_asset_materialization/x", {**OWN, **JSON}),
    "check": ("POST", "/report_asset_check/x", {**OWN, **JSON}),
    "observation": ("POST", "/report_asset_observation/x", {**OWN, **JSON}),
    "preflight": ("OPTIONS", "/graphql", {"host": OWN["host"]}),
    "delete": ("DELETE", "/", OWN),
    "post elsewhere": ("POST", "/runs", {**OWN, **JSON}),
    "post beside": ("POST", "/graphql/", {**OWN, **JSON}),
    "mutation by link below a prefix": ("GET", "/dagster/graphql", {"host": OWN["host"], **LINK}),
    "mutation by image below a prefix": ("GET", "/a/b/graphql/", {"host": OWN["host"]}),
    "a form below a prefix": ("POST", "/dagster/graphql", {"host": OWN["host"], "content-type": "text/plain"}),
}  # fmt: skip
