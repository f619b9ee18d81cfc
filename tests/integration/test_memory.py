"""What a hostile answer may cost in memory: no more than twice what an honest run of a small company takes.

Each run is a process of its own, so that its peak is its own; the service is in this one.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route

from lastro_sandbox import Books, create_app, golden_company, make_company, serve
from tests.golden import expected
from tests.served import TOKEN, write_golden, write_settings

pytestmark = pytest.mark.longo
ROOT = Path(__file__).parents[2]
MEGABYTE = 2**20
CHILD = """
import resource, sys
from datetime import date
from pathlib import Path
from lastro.api.retry import RetryPolicy
from lastro.errors import LastroError
from lastro.run.stages import run_stages
from lastro.settings import load_settings
from tests.served import open_session

folder = Path(sys.argv[1])
settings = load_settings(folder / "lastro.toml", {}, folder)
outcome = "published"
try:
    hasty = RetryPolicy(attempts=3, first_attempts=3, base=0.01, cap=0.01)
    with open_session(settings, date.fromisoformat(sys.argv[2]), policy=hasty) as session:
        run_stages(session)
except LastroError as error:
    outcome = f"{error.documented_name}: {error}"
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
print(outcome)
"""


@dataclass(frozen=True)
class Ended:
    """How a run ended: its peak in MB, and what it says."""

    peak: int
    said: str


def run_child(folder: Path) -> Ended:
    done = subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", CHILD, str(folder), expected.D.isoformat()],
        capture_output=True, text=True, cwd=ROOT, timeout=550, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    peak, said = done.stdout.split("\n", 1)
    return Ended(int(peak), said.strip())


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """A run of a small company on an honest service."""
    folder = tmp_path_factory.mktemp("honesta")
    books = make_company(seed=3, lancamentos=320, hoje=expected.D)
    with serve(create_app(books, token=TOKEN)) as service:
        write_settings(folder, books, service.base_url)
        ended = run_child(folder)
    assert ended.said == "published"
    print(f"honest: {ended.peak} MB")  # noqa: T201 - the figures are what this measures
    return ended


Answer = Callable[[Request], Response]


def blanks(total: int, layers: int) -> Answer:
    """Gzip in gzip: a body of blanks that is a few kilobytes on the wire."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    body = b"".join(packer.compress(b" " * MEGABYTE) for _ in range(total)) + packer.flush()
    for _ in range(layers - 1):
        body = gzip.compress(body)
    return lambda _request: Response(body, headers={"Content-Encoding": ", ".join(["gzip"] * layers)})


def whole(body: bytes) -> Answer:
    return lambda _request: Response(body, media_type="application/json")


def repeated(begin: bytes, piece: bytes, times: int, end: bytes) -> Answer:
    """Send one piece many times, without holding the body here."""

    def pieces() -> Iterator[bytes]:
        yield begin
        block, rest = divmod(times, 10_000)
        for _ in range(block):
            yield piece * 10_000
        yield piece * rest + end

    return lambda _request: StreamingResponse(pieces(), media_type="application/json")


def claim(rows: int) -> Answer:
    """Claim any number of rows, and send empty pages."""
    return lambda request: JSONResponse({"0": rows} if request.query_params.get("tipo_view") else [])


def endless() -> Answer:
    """Give no count and a full page for whatever start."""

    def answer(request: Request) -> Response:
        if request.query_params.get("tipo_view"):
            return JSONResponse({"total": "muitos"})
        start, limit = int(request.query_params.get("start", 0)), int(request.query_params.get("limit", 50))
        rows = ",".join(f'{{"id":{start + place + 1},"conta_id":101,"valor":"-1.00"}}' for place in range(limit))
        return Response(f"[{rows}]", media_type="application/json")

    return answer


def nested(levels: int) -> bytes:
    head = b'{"id":%d,"descricao":"c","tipo_categoria_id":1,"categorias_filhas":['
    return b"[" + b"".join(head % (number + 1) for number in range(levels)) + b"]}" * levels + b"]"


def chain(links: int) -> bytes:
    """A flat list of categories, each the parent of the next."""
    rows = (b'{"id":%d,"parent_id":%d,"descricao":"c","tipo_categoria_id":1}' % (n, n - 1) for n in range(2, links + 2))
    return b'[{"id":1,"descricao":"c","tipo_categoria_id":1},' + b",".join(rows) + b"]"


def _with_state(app: Starlette, books: Books) -> Starlette:
    app.state.requests, app.state.books = [], books
    return app


CASES: dict[str, tuple[str, Callable[[], Answer], str]] = {
    "12 GB of blanks in two layers of gzip": ("/v1/categorias", lambda: blanks(12 * 1024, 2), "ApiUnavailable"),
    "1 GB of blanks in one layer of gzip": ("/v1/categorias", lambda: blanks(1024, 1), "ApiUnavailable"),
    "198 MB of empty arrays as customers": (
        "/v1/clientes", lambda: repeated(b"[[]", b",[]", 66_000_000, b"]"), "ApiUnavailable",
    ),
    "60 MB of empty arrays as customers": (
        "/v1/clientes", lambda: repeated(b"[[]", b",[]", 20_000_000, b"]"), "ApiUnavailable",
    ),
    "a flat chain of 10,000 categories": ("/v1/categorias", lambda: whole(chain(10_000)), "published"),
    "categories 10,000 deep": ("/v1/categorias", lambda: whole(nested(10_000)), "ApiUnavailable"),
    "a page of 21 million objects": (
        "/v1/lancamentos", lambda: repeated(b"[{}", b",{}", 21_000_000, b"]"), "ApiUnavailable",
    ),
    "a name of 200 MB": (
        "/v1/clientes", lambda: repeated(b'[{"id":1,"nome":"', b"x" * 100, 2_000_000, b'"}]'), "ApiUnavailable",
    ),
    "a name of 15 MB": (
        "/v1/clientes", lambda: repeated(b'[{"id":1,"nome":"', b"x" * 100, 150_000, b'"}]'), "published",
    ),
    "a count of 10^17": ("/v1/lancamentos", lambda: claim(10**17), ""),
    "a count of 10 million": ("/v1/lancamentos", lambda: claim(10_000_000), "IncompletePass"),
    "a listing without count and end": ("/v1/lancamentos", endless, "IncompletePass"),
}  # fmt: skip
"""What security reviewers sent, or as near to it as a test of minutes can: path, answer, how the run must end."""


@pytest.mark.parametrize("case", CASES)
def test_a_hostile_answer_takes_no_more_than_twice_an_honest_run(honest: Ended, tmp_path: Path, case: str) -> None:
    path, build, end = CASES[case]
    answer = build()

    async def respond(request: Request) -> Response:
        return answer(request)

    books = golden_company()
    attacked = Starlette(routes=[Route(path, respond), Mount("/", create_app(books, token=TOKEN))])
    with serve(_with_state(attacked, books)) as service:
        write_golden(tmp_path, service.base_url)
        ended = run_child(tmp_path)
    print(f"{case}: {ended.peak} MB, {ended.said[:100]}")  # noqa: T201 - the figures are what this measures
    assert ended.said.startswith(end), ended.said
    assert ended.peak <= 2 * honest.peak
