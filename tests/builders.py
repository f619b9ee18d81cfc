"""Frames for the tests, in the shape in which production passes them on; only what a test is about needs to be said.

`entry`, `item`, `charge`, `category`, `person` and `account` write one conformed record each, `make_<list>` frames of
them, `build_frame` any frame of `lastro.schema.frames`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

import pandas as pd

from lastro.schema.frames import FRAMES, FrameColumn, shape
from lastro.schema.payloads import INHERITED_IF_ABSENT
from lastro.transform.conformed import Conformed

Record = dict[str, Any]
CENTAVOS = "_centavos"
NO_SIGHTING = pd.DataFrame({"cobranca_id": [], "data": pd.Series([], dtype="datetime64[us]")})
"""No earlier run saw any charge paid."""
_BLANK = {"int64": 0, "bool": False, "datetime64[us]": "2026-03-10", "object": ""}
_LISTS = ("tags", "ancestrais")
_BUILT: dict[tuple[str, str], pd.DataFrame] = {}
"""Frames by name and rows: most tests say one list and leave the others as they are."""


def centavos(text: str | None) -> int | None:
    return None if text is None else int(Decimal(text).scaleb(2))


def days(*texts: str | None) -> pd.Series:
    return pd.to_datetime(pd.Series(texts, dtype=object)).astype("datetime64[us]")


def build_frame(name: str, rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Build a frame; what a row leaves out is null, or 0, false, empty where null may not be.

    Args:
        name: a frame of `FRAMES`.
        rows: values by column; days may be texts, and money a text without `_centavos` in its name.
    """
    rows = list(rows)
    key = (name, repr(rows))
    if key not in _BUILT:
        _BUILT[key] = _build_frame(name, rows)
    return _BUILT[key].copy(deep=False)  # a write makes a copy


def _build_frame(name: str, rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    columns = FRAMES[name].columns
    names = {column.name for column in columns}
    records = []
    for row in rows:
        record = {
            key + CENTAVOS if key + CENTAVOS in names else key: centavos(value) if key + CENTAVOS in names else value
            for key, value in row.items()
        }
        assert set(record) <= names, f"{name} has no {sorted(set(record) - names)}"
        records.append(record)
    series = {column.name: _build_series(column, records) for column in columns}
    return shape(name, pd.DataFrame(series))


def _build_series(column: FrameColumn, records: list[Record]) -> pd.Series:
    blank: Any = None if column.nullable else _BLANK[column.dtype]
    values = [record.get(column.name, [] if column.name in _LISTS else blank) for record in records]
    if column.dtype == "datetime64[us]":
        return days(*values)
    return pd.Series(values, dtype=object)


def entry(**changes: Any) -> Record:
    """One entry, of account 101, due on 2026-03-10: `id` and `valor` (text) are its own."""
    texts = dict.fromkeys(("descricao", "documento", "observacao", "periodicidade"), "")
    return {"conta_id": 101, **texts, **_rename(changes, id="lancamento_id")}


def item(**changes: Any) -> Record:
    """One nested item: `de` is the entry that carries it; a field it inherits and that is not said had no key."""
    known = {f"tem_{name}": name in changes for name in INHERITED_IF_ABSENT}
    return {"descricao": "", **known, **_rename(changes, id="item_id", de="lancamento_id")}


def charge(**changes: Any) -> Record:
    """One pending charge of account 101, with a fine of 2 % and interest."""
    base = {"status_descricao": "Pendente", "conta_id": 101, "percentual_multa": Decimal("2.00"), "cobrar_juros": True}
    return {**base, "lancamento_ids": "", **_rename(changes, id="cobranca_id", cliente_id="pessoa_id")}


def category(**changes: Any) -> Record:
    """One category in use, without parent."""
    return {"ativo": True, **_rename(changes, id="categoria_id")}


def person(**changes: Any) -> Record:
    """One person in use, neither customer nor supplier unless said."""
    return {"nome": "", "nome_fantasia": "", "documento": "", "ativo": True, **_rename(changes, id="pessoa_id")}


def account(**changes: Any) -> Record:
    """One account of the service's own list."""
    return {"ativo": True, "permite_lancamento": True, **_rename(changes, id="conta_id")}


def make_lancamentos(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    return build_frame("conformed.lancamentos", [entry(**row) for row in rows])


def make_itens(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    records = [item(**{"posicao_item": place, **row}) for place, row in enumerate(rows)]
    return build_frame("conformed.itens", records)


def make_cobrancas(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    return build_frame("conformed.cobrancas", [charge(**row) for row in rows])


def make_categorias(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    return build_frame("conformed.categorias", [category(**row) for row in rows])


def make_pessoas(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    return build_frame("conformed.clientes", [person(**row) for row in rows])


def make_contas(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    return build_frame("conformed.contas", [account(**row) for row in rows])


def make_conformed(
    lancamentos: Iterable[Mapping[str, Any]] = (),
    *,
    itens: Iterable[Mapping[str, Any]] = (),
    cobrancas: Iterable[Mapping[str, Any]] = (),
    categorias: Iterable[Mapping[str, Any]] = (),
    clientes: Iterable[Mapping[str, Any]] = (),
    fornecedores: Iterable[Mapping[str, Any]] = (),
) -> Conformed:
    """Make the records of one run, without entries read one by one and without the service's list of accounts."""
    return Conformed(
        lancamentos=make_lancamentos(lancamentos),
        itens=make_itens(itens),
        detalhes=make_lancamentos([]),
        detalhes_itens=make_itens([]),
        cobrancas=make_cobrancas(cobrancas),
        categorias=make_categorias(categorias),
        clientes=make_pessoas(clientes),
        fornecedores=make_pessoas(fornecedores),
        contas=make_contas([]),
    )


def _rename(changes: Mapping[str, Any], **names: str) -> Record:
    return {names.get(key, key): value for key, value in changes.items()}
