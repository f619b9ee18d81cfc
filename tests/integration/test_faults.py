"""Storms of faults and books that change while they are read: the figures are right, or the run fails and tells.

The sandbox strikes; what was read is held against a run without faults and against the sandbox's own books.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from lastro.api.retry import RetryPolicy
from lastro.errors import IncompletePass, LastroError, SchemaDrift
from lastro.run.stages import STAGES, run_stage
from lastro.settings import Settings
from lastro_sandbox import Books, Running, create_app, golden_company, make_company, serve
from tests.marks import thinned
from tests.served import TOKEN, copy_golden, open_session, run_served, write_settings

TODAY = date(2026, 3, 16)
HASTY = RetryPolicy(base=0.005, cap=0.02, base_429=0.005, cap_429=0.02)
"""Try as often as ever, but wait less in between."""
STORM = (
    # A quarter of all requests goes wrong, each in one of these ways.
    "500:p=0.04", "502:p=0.03", "503:p=0.03", "429:p=0.03,retry_after=0", "reset:p=0.04", "corte:p=0.03",
    "html200:p=0.02", "erro200:p=0.02", "lento:p=0.01,segundos=0.05",
)  # fmt: skip
SEEDS = thinned(range(1, 21), default=(1,))
ACTIONS = ("inserir", "excluir", "pagar", "mover")


def company(seed: int, lancamentos: int = 700) -> Books:
    return make_company(seed=seed, lancamentos=lancamentos, hoje=TODAY)


@contextmanager
def served(
    folder: Path, books: Books, *falhas: str, semente: int = 1, **options: Any
) -> Iterator[tuple[Settings, Running, Any]]:
    """Serve books; yield settings of an own folder, the service and its plan of faults."""
    app = create_app(books, token=TOKEN, falhas=falhas, semente=semente, **options)
    folder.mkdir(parents=True, exist_ok=True)
    with serve(app) as service:
        yield write_settings(folder, books, service.base_url), service, app.state.faults


def load(settings: Settings) -> dict[str, list[tuple[Any, ...]]]:
    """Read and load without reporting; return what the core tables hold."""
    with open_session(settings, TODAY, policy=HASTY) as run:
        for stage in STAGES[:2]:
            run_stage(run, stage)
        names = ("linhas", "titulos", "cobrancas", "cobranca_titulos", "contas", "pessoas", "categorias", "formas")
        tables = {
            name: run.warehouse.query(
                f"SELECT COLUMNS(lambda c: c <> 'execucao_id') FROM core.{name} ORDER BY ALL"  # noqa: S608 - our names
            )
            for name in names
        }
        tables["rejeitados"] = run.warehouse.query("SELECT lista, motivo FROM raw.rejeitados ORDER BY ALL")
        tables["esquema"] = run.warehouse.query("SELECT DISTINCT lista, campo, situacao FROM ops.esquema ORDER BY ALL")
        tables["passadas"] = run.warehouse.query(
            "SELECT lista, conta_id, veredito FROM ops.passadas WHERE veredito = 'provada' ORDER BY ALL"
        )
        return tables


def sums_of(books: Books) -> dict[int | None, tuple[int, Decimal]]:
    """Count and add up the books per account, apart from everything of lastro."""
    count: Counter[int | None] = Counter()
    total: Counter[int | None] = Counter()
    for entry in books.lancamentos.values():
        count[entry.conta_id] += 1
        total[entry.conta_id] += entry.valor
    return {conta: (count[conta], Decimal(total[conta]).scaleb(-2)) for conta in count}


def sums_of_linhas(
    tables: dict[str, list[tuple[Any, ...]]], settings: Settings
) -> dict[int | None, tuple[int, Decimal]]:
    with closing(
        duckdb.connect(str(settings.pasta(settings.empresas[0]) / "privado" / "lastro.duckdb"), read_only=True)
    ) as con:
        rows = con.execute("SELECT conta_id, count(*), sum(valor) FROM core.linhas GROUP BY 1").fetchall()
    assert sum(row[1] for row in rows) == len(tables["linhas"])
    return {conta: (count, total) for conta, count, total in rows}


@pytest.mark.parametrize("seed", SEEDS)
def test_storms_lose_and_double_nothing(tmp_path: Path, seed: int) -> None:
    books = company(seed, 300)
    dialeto = ("documento", "observado")[seed % 2]
    faults = (*STORM, "pagina_repetida:p=0.1,vezes=2", "limite_menor:p=0.2,maximo=60", "campos_extras:p=0.1")
    with served(tmp_path / "tempestade", books, *faults, semente=seed, dialeto=dialeto) as (settings, service, plan):
        tables = load(settings)
        assert sums_of_linhas(tables, settings) == sums_of(books)
        assert sum(fault.struck for fault in plan.faults) > len(service.requests) * 0.15
    with served(tmp_path / "calmo", books, dialeto=dialeto) as (settings, _, _):
        calm = load(settings)
    assert tables["rejeitados"] == []
    # A list that not every service has counts as absent where its first answer is an error (observado).
    for name in ("linhas", "titulos", "cobrancas", "cobranca_titulos", "pessoas", "categorias"):
        assert tables[name] == calm[name], name


@pytest.mark.parametrize("seed", thinned(range(1, 21), default=(2,)))
def test_books_that_change_while_they_are_read(tmp_path: Path, seed: int) -> None:
    """Change the books before the first pages are read: what is proved is what stands there afterwards."""
    books = company(seed, 300)
    action = (*ACTIONS, "qualquer")[seed % 5]
    how = "" if action == "qualquer" else f",acao={action}"
    with served(tmp_path, books, f"deriva:p=0.7,vezes={1 + seed % 4}{how}", semente=seed) as (settings, service, plan):
        try:
            tables = load(settings)
        except IncompletePass:  # exit code 4: told, and nothing replaced
            plan.replace()
            tables = load(settings)
        assert {method for method, _, _ in service.requests} == {"GET"}
        assert sums_of_linhas(tables, settings) == sums_of(books)
        assert load(settings)["linhas"] == tables["linhas"]


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("deriva:acao=inserir", IncompletePass),
        ("contagem_errada", IncompletePass),
        pytest.param("start_ignorado limite_menor:maximo=4", IncompletePass, marks=pytest.mark.longo),
        ("campos_faltando:campos=valor,caminho=/v1/lancamentos", SchemaDrift),
        pytest.param(
            "campos_faltando:campos=lancamento_ids|status_descricao,caminho=/v1/cobrancas",
            SchemaDrift,
            marks=pytest.mark.longo,
        ),
    ],
)
def test_what_cannot_be_proved_replaces_nothing(
    tmp_path: Path, before: tuple[Settings, Books, Path], fault: str, error: type[LastroError]
) -> None:
    settings, books, link = before
    untouched = fingerprint(link)
    # The same company, elsewhere: its settings must lead to the folder of the good run.
    with served(tmp_path, books, *fault.split()) as (moved, _, _):
        text = (tmp_path / "lastro.toml").read_text(encoding="utf-8")
        here = settings.dir.parent / "lastro.toml"
        here.write_text(text, encoding="utf-8")
        again = type(settings)(settings.dir, settings.fuso, moved.empresas, str(here))
        with pytest.raises(error) as caught:
            run_served(again, TODAY, policy=HASTY)
    assert caught.value.exit_code == 4
    assert fingerprint(link) == untouched
    private = settings.pasta(settings.empresas[0]) / "privado" / "lastro.duckdb"
    with closing(duckdb.connect(str(private), read_only=True)) as con:
        last = con.execute("SELECT situacao, erro FROM ops.execucoes ORDER BY execucao_id DESC LIMIT 1").fetchall()[0]
        runs = con.execute("SELECT DISTINCT execucao_id FROM core.linhas").fetchall()
    assert last[0] == ("parcial" if error is IncompletePass else "falhou")
    assert last[1].startswith(error.__name__)
    assert runs == [(1,)]


@pytest.fixture(scope="module")
def before(first_run: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Settings, Books, Path]:
    """One good run, whose published state the failing ones must leave alone."""
    settings = copy_golden(first_run, tmp_path_factory.mktemp("boa"), "http://127.0.0.1:1")
    return settings, golden_company(), settings.pasta(settings.empresas[0]) / "lastro.duckdb"


def fingerprint(link: Path) -> tuple[str, str, list[str]]:
    reports = sorted(path.name for path in (link.parent / "relatorios").iterdir())
    return str(link.readlink()), hashlib.sha256(link.read_bytes()).hexdigest(), reports


# Both are read by default in tests/integration/test_extract_sandbox.py.
@pytest.mark.parametrize("forma", thinned(("indice", "ilegivel"), default=("ilegivel",)))
def test_every_shape_of_count_proves_the_same_of_capped_pages_with_new_fields(tmp_path: Path, forma: str) -> None:
    books = company(6, 250)
    faults = ("limite_menor:maximo=37", "campos_extras")
    with served(tmp_path, books, *faults, forma_count=forma) as (settings, _, _):
        tables = load(settings)
        assert sums_of_linhas(tables, settings) == sums_of(books)
    assert {row[1] for row in tables["passadas"] if row[0] == "lancamentos"} == {101, 102, 103}
    assert ("lancamentos", "campo_novo", "desconhecido") in tables["esquema"]
    assert ("cobrancas", "campo_novo", "desconhecido") in tables["esquema"]


def test_malformed_records_are_counted_and_the_rest_loads(tmp_path: Path) -> None:
    books = company(7, 300)
    bad = "valores_malformados:campo=valor,texto=12#50,caminho=/v1/lancamentos"
    with served(tmp_path, books, bad) as (settings, _, _):
        tables = load(settings)
        count = sum(number for number, _ in sums_of_linhas(tables, settings).values())
    assert tables["rejeitados"]
    assert {motivo for _, motivo in tables["rejeitados"]} == {"valor: não é um valor em dinheiro"}
    assert len(tables["rejeitados"]) <= 12  # the first record of each page, and what was asked one by one
    assert count >= len(books.lancamentos) - 20
