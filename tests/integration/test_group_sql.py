"""What the group's file answers in SQL: its macros say of a company what the company's own say."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from lastro.group.database import GroupFile

D = "DATE '2026-03-16'"


@pytest.fixture(scope="module")
def own(first_run: Path) -> Path:
    return next(first_run.glob("dados/*/lastro.duckdb"))


@pytest.fixture(scope="module")
def grupo(own: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two companies that published the same books; the second has every amount twice."""
    with GroupFile(tmp_path_factory.mktemp("grupo")) as group:
        for empresa in ("acme", "beta"):
            group.replace(empresa, empresa.title(), own)
        group.con.execute("UPDATE core.linhas SET valor = valor * 2 WHERE empresa = 'beta'")
        return group.publish(0o400)


@pytest.mark.parametrize(
    "macro", ["titulos_em({}{d})", "linhas_em({}{d})", "saldos_em({}{d})", "saldos_entre({}{d}, {d})"]
)
def test_a_macro_of_the_group_answers_as_the_companys_own(own: Path, grupo: Path, macro: str) -> None:
    with closing(duckdb.connect(str(own), read_only=True)) as con:
        wanted = con.execute(f"FROM mart.{macro.format('', d=D)} ORDER BY ALL").fetchall()
    with closing(duckdb.connect(str(grupo), read_only=True)) as con:
        assert (
            con.execute(f"FROM mart.{macro.format(chr(39) + 'acme' + chr(39) + ', ', d=D)} ORDER BY ALL").fetchall()
            == wanted
        )
    assert wanted


def test_a_macro_of_the_group_keeps_companies_apart_and_refuses_strangers(grupo: Path) -> None:
    with closing(duckdb.connect(str(grupo), read_only=True)) as con:
        assert con.execute("SELECT mart.data_base('acme')::VARCHAR, mart.data_base('beta')::VARCHAR").fetchall() == [
            ("2026-03-16", "2026-03-16")
        ]
        amounts = f"SELECT sum(valor) FROM mart.titulos_em(?, {D})"  # noqa: S608 - a day written above
        totals = [con.execute(amounts, [name]).fetchall()[0][0] for name in ("acme", "beta")]
        assert totals[1] == totals[0] * 2 != 0
        with pytest.raises(duckdb.InvalidInputException, match="nenhuma empresa deste arquivo tem esse id"):
            con.execute(f"FROM mart.saldos_em('gama', {D})").fetchall()
        uncommented = (
            "SELECT function_name FROM duckdb_functions() WHERE schema_name = 'mart' AND comment IS NULL "
            "AND NOT internal"
        )
        assert con.execute(uncommented).fetchall() == []
