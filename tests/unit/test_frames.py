"""Frames are a contract: dtypes follow from the declaration, never from the data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from lastro.calendar import BusinessCalendar
from lastro.schema.frames import DERIVED, FRAMES, shape
from lastro.schema.tables import TABLES
from lastro.settings import Empresa
from lastro.transform.position import CORE_FRAMES, Core, build_position
from lastro.warehouse.file.store import Warehouse
from lastro.warehouse.loading.conformer import conform_run
from tests.bare import build_core
from tests.books import load_books, make_empresa, order_as_stored
from tests.builders import build_frame, make_conformed
from tests.golden import dataset

ROOT = Path(__file__).parents[2]
D = date(2026, 3, 16)
CORE = [field.name for field in fields(Core) if f"core.{field.name}" in FRAMES]


def dtypes(frame: pd.DataFrame) -> dict[str, str]:
    return {str(name): str(frame[name].dtype) for name in frame}


def declared(name: str) -> dict[str, str]:
    return {column.name: column.dtype for column in FRAMES[name].columns}


def test_every_column_is_declared_with_rule_and_meaning() -> None:
    for name, frame in FRAMES.items():
        assert frame.grain, name
        assert set(frame.key) <= set(frame.names), name
        assert len(set(frame.names)) == len(frame.names), name
        for column in frame.columns:
            assert re.fullmatch("int64|Int64|bool|boolean|datetime64\\[us\\]|object", column.dtype), column.name
            assert not column.nullable or column.dtype not in ("int64", "bool"), (name, column.name)
            assert not column.name.endswith("_centavos") or column.dtype in ("int64", "Int64"), (name, column.name)
    assert all(re.match("[QS][0-9]+: ", column.comment) for columns in DERIVED.values() for column in columns)
    assert {name for name in FRAMES if name.startswith("core.")} <= set(TABLES)


# Dtypes -----------------------------------------------------------------------------------------------------------


def payloads(*, paid: bool) -> dict[str, Any]:
    """The golden company as it is, with nulls everywhere, or with all paid and every reference given."""
    given = dataset.payloads()
    if not paid:
        return given
    names = ("categoria_id", "centro_custo_lucro_id", "pessoa_id", "forma_pagamento_id", "tipo_documento_id",
             "grupo_id", "pedido_id", "numero_repeticao", "total_repeticoes", "lancamento_composto_id")  # fmt: skip
    for row in given["lancamentos"]:
        row.update(data_pagamento="2026-03-02", data_competencia="2026-03-01", itens_adicionais=[], periodicidade="M1")
        row.update({name: row[name] or 1 for name in names})
    for row in given["cobrancas"]:
        row.update(status_descricao="Transferido", data_cancelamento="2026-03-02", valor_pago=row["valor"])
        row.update(dict.fromkeys(("data_a_transferir", "data_transferindo", "data_transferido"), "2026-03-02"))
    return given


def find_nulls(warehouse: Warehouse) -> Iterator[str]:
    """Name each table of the file that has a null in a column that may have none."""
    for table in TABLES.values():
        required = [f'"{name}" IS NULL' for name in table.columns if not table.column(name).nullable]
        if required and warehouse.query(f"SELECT count(*) FROM {table.name} WHERE {' OR '.join(required)}") != [(0,)]:  # noqa: S608
            yield table.name


def load(folder: Path, given: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Take the dtypes of every frame at the four borders; what is stored comes back as it was built, without nulls
    where none may be.
    """
    empresa = make_empresa(given["contas"], given["parametros"])
    warehouse, built, position = load_books(folder, given, empresa, data_base=D, data_extracao=D)
    with warehouse:
        core = warehouse.read_core()
        assert list(find_nulls(warehouse)) == []
        with warehouse.transaction():
            conformed = conform_run(warehouse.con, [folder / "paginas"], 1)
    stored = order_as_stored(built.core)
    for name in CORE:
        pd.testing.assert_frame_equal(getattr(stored, name), getattr(core, name), obj=name)
    assert (built.core.rotulos, built.core.composto_modo) == (core.rotulos, core.composto_modo)
    assert (built.core.composto_n0, built.core.composto_n1) == (core.composto_n0, core.composto_n1)
    found = {f"core.{name}": dtypes(getattr(core, name)) for name in CORE}
    found |= {f"position.{name}": dtypes(getattr(position, name)) for name in ("linhas", "titulos")}
    lists = [name.removeprefix("conformed.") for name in FRAMES if name.startswith("conformed.")]
    return found | {f"conformed.{name}": dtypes(getattr(conformed, name)) for name in lists}


@pytest.mark.parametrize("paid", [False, True])
def test_dtypes_are_the_declared_ones_with_nulls_and_without(tmp_path: Path, paid: bool) -> None:
    found = load(tmp_path, payloads(paid=paid))
    assert found == {name: declared(name) for name in found}
    assert set(found) == set(FRAMES) - {"ops.passadas"}
    assert (found["core.cobrancas"]["valor_pago_centavos"], found["core.cobrancas"]["valor_centavos"]) == (
        "Int64", "int64",
    )  # fmt: skip


def test_dtypes_of_a_company_without_any_record_are_the_same() -> None:
    empresa = Empresa("acme", "Acme", "https://x.example", "ACME")
    core = build_core(make_conformed(), empresa).core
    position = build_position(
        core, data_base=D, data_extracao=D, parametros=empresa.parametros, calendario=BusinessCalendar()
    )
    assert {name for name, value in vars(core).items() if isinstance(value, pd.DataFrame)} == {*CORE_FRAMES}
    assert {name: dtypes(getattr(core, name)) for name in CORE} == {name: declared(f"core.{name}") for name in CORE}
    assert dtypes(position.linhas) == declared("position.linhas")
    assert dtypes(position.titulos) == declared("position.titulos")


# Shape ------------------------------------------------------------------------------------------------------------

LINKS = "core.cobranca_titulos"


def links(**changes: Any) -> pd.DataFrame:
    return pd.DataFrame({"cobranca_id": [9], "titulo_id": [7], **changes})


def test_index_and_rows_stay() -> None:
    frame = links(titulo_id=pd.array([7], dtype="Int64")).set_axis([41])
    shaped = shape(LINKS, frame)
    assert shaped.index.tolist() == [41]
    assert dtypes(shaped) == {"cobranca_id": "int64", "titulo_id": "int64"}
    assert str(frame["titulo_id"].dtype) == "Int64"


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (links().drop(columns="titulo_id"), "core.cobranca_titulos lacks titulo_id"),
        (links(valor=1), "does not know valor"),
        (links(titulo_id=[7.0]), "cannot make titulo_id (float64) int64: it is of another kind"),
        (links(titulo_id=["João"]), "cannot make titulo_id (str) int64: it is of another kind"),
        (links(titulo_id=pd.Series(["João"], dtype=object)), "cannot make titulo_id (object) int64: it is of"),
        (links(titulo_id=pd.Series([1.5], dtype=object)), "cannot make titulo_id (object) int64: it is of"),
        (links(titulo_id=pd.array([None], dtype="Int64")), "int64: it is null and may not be"),
        (links(titulo_id=[True]), "cannot make titulo_id (bool) int64"),
        (links(titulo_id=[7.0], valor=1).drop(columns="cobranca_id"), "lacks cobranca_id; does not know valor; cannot"),
    ],
)
def test_a_frame_that_is_not_as_declared_is_refused_by_name(frame: pd.DataFrame, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)) as caught:
        shape(LINKS, frame)
    assert "João" not in str(caught.value)


def test_flags_days_and_texts_are_not_guessed() -> None:
    titulos = build_frame("position.titulos", [{"titulo_id": 7}])
    for name, value in (("pago", [1]), ("pago", ["não"]), ("data_prevista", [5]), ("data_prevista", ["2026-03-10"])):
        with pytest.raises(ValueError, match=f"cannot make {name}"):
            shape("position.titulos", titulos.assign(**{name: pd.Series(value, dtype=object)}))
    with pytest.raises(ValueError, match="cannot make situacao"):
        shape("position.titulos", titulos.assign(situacao=[5]))
    text = shape("position.titulos", titulos.assign(faixa=[float("nan")], situacao=pd.Series(["Pago"], dtype="str")))
    assert text["faixa"].tolist() == [None]
    assert dtypes(text) == declared("position.titulos")
