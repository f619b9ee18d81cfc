"""R16 Lançamentos: every linha, so that a row of another report can be followed down to its entries."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from lastro.analysis.drill_down import find_linha_dates, is_split_by_year, lancamentos_key, lancamentos_sheet
from lastro.analysis.income_statement import GROUP_LABELS, find_dre_grupos
from lastro.analysis.tree import path_ranks
from lastro.grid.cells import Kind
from lastro.grid.model import Column, Family, Printing, Report, Row, Section, Table
from lastro.money import to_decimal
from lastro.reports.spec import ReportSpec
from lastro.transform.position import CLASSES, Position

if TYPE_CHECKING:
    from lastro.reports.view import View

COLUMNS = (
    Column("Data", Kind.DATE, key="dia"),
    Column("Classe", Kind.TEXT, width=18),
    Column("Categoria", Kind.TEXT, width=36),
    Column("Descrição", Kind.TEXT, width=40),
    Column("Pessoa", Kind.TEXT, width=30),
    Column("Valor", Kind.MONEY, dense=True, show_zero=True, total=True),
    Column("Situação", Kind.TEXT, width=16),
    Column("Data caixa", Kind.DATE),
    Column("Data competência", Kind.DATE),
    Column("Competência presumida", Kind.BOOLEAN, width=12),
    Column("Vencimento", Kind.DATE),
    Column("Pagamento", Kind.DATE),
    Column("Conta", Kind.TEXT, width=24),
    Column("Centro", Kind.TEXT, width=20),
    Column("Forma", Kind.TEXT, width=18),
    Column("Tipo de documento", Kind.TEXT, width=18),
    Column("Documento", Kind.TEXT, width=18),
    Column("Parcela", Kind.TEXT, width=10),
    Column("Periodicidade", Kind.TEXT, width=12),
    Column("Natureza", Kind.TEXT, width=9),
    Column("Automático", Kind.BOOLEAN, width=11),
    Column("Tags", Kind.TEXT, width=20),
    Column("Observação", Kind.TEXT, width=40),
    Column("Alterado em", Kind.TIMESTAMP),
    Column("Título", Kind.INTEGER, key="titulo_id"),
    Column("Id", Kind.INTEGER, key="linha_id"),
    Column("Origem", Kind.TEXT, width=12),
    Column("Composto id", Kind.INTEGER),
    Column("Transferência id", Kind.INTEGER),
    Column("Grupo id", Kind.INTEGER),
    Column("Pedido id", Kind.INTEGER),
    Column("Conta id", Kind.INTEGER),
    Column("Categoria id", Kind.INTEGER),
    Column("Centro id", Kind.INTEGER),
    Column("Forma id", Kind.INTEGER),
    Column("Tipo de documento id", Kind.INTEGER),
    Column("Tipo custo nível produção id", Kind.INTEGER),
    Column("Tipo custo apropriação produto id", Kind.INTEGER),
    Column("Pessoa id", Kind.INTEGER),
    Column("Linha DRE", Kind.TEXT, shown=False),
    Column("Dre grupo", Kind.TEXT, shown=False),
    Column("Data projetada", Kind.DATE, shown=False),
)
ANCHORS = (
    ("titulo_id", "linha_id"),
    ("linha_id", "titulo_id"),
    ("grupo_id", "grupo_id"),
    ("pessoa_id", "pessoa_id"),
    ("categoria_id", "categoria_id"),
)
"""How other sheets find a row: a título by its carrier, a linha before an item of equal id, the first of the others."""
SORTING_HINT = (
    "Filtre à vontade, mas não ordene: os links das outras planilhas levam a uma linha fixa daqui, e depois de ordenar "
    "abririam outro lançamento (confira pelo id do título, que está ao lado de cada link)."
)
COMMENT = "R16: uma linha (S1) com rótulos, situação na data-base e ids"
BEFORE_CONTROL = "Fora do controle"
OPEN = "Em aberto"
"""Situation of what is never late: open transfers and zero values (S6, S8)."""


def build_r16(view: View) -> tuple[Report, ...]:
    """Build Lançamentos as one sheet, or as one per year above 200,000 linhas ("Lançamentos 2026").

    Returns:
        Grain linha, all of them (zero values and transfers too), sorted by class, category path, date (payment if
        paid, else the predicted date), id, so that each category of a class is one block; the first row of a block
        has the key `drill_down.lancamentos_key(classe, categoria_id)`. The SUBTOTAL row is the writer's. Sheets stand
        in order of years; the first one carries the table `lancamentos` with every linha.
    """
    linhas = _sort(view.position)
    years = linhas["data"].dt.year if is_split_by_year(view.position) else None
    parts: list[tuple[int | None, pd.DataFrame]] = [(None, linhas)]
    if years is not None:
        parts = [
            (year, linhas[years == year].reset_index(drop=True))
            for year in sorted(int(year) for year in years.unique())
        ]
    sections = [(year, _build_section(view.position, part, year)) for year, part in parts]
    # The cells are shared with the rows of the sheets: the table costs no second copy.
    cells = tuple(row.cells for _, section in sections for row in section.rows)
    table = Table("lancamentos", COLUMNS, cells, COMMENT)  # type: ignore[arg-type]
    return tuple(
        SPEC.report(
            (section,),
            () if number else (table,),
            sheet=lancamentos_sheet(year),
            title="" if year is None else f"Lançamentos de {year}",
        )
        for number, (year, section) in enumerate(sections)
    )


def _sort(position: Position) -> pd.DataFrame:
    linhas = position.linhas
    classes = {classe: number for number, classe in enumerate(CLASSES)}
    keyed = linhas.assign(
        data=find_linha_dates(linhas),
        ordem_classe=linhas["classe"].map(classes),
        ordem_categoria=path_ranks(position.categorias)(linhas["categoria_id"]),
    )
    return keyed.sort_values(
        ["ordem_classe", "ordem_categoria", "data", "linha_id", "origem"], kind="stable", ignore_index=True
    )


def _build_section(position: Position, linhas: pd.DataFrame, year: int | None) -> Section:
    columns = _columns_of(position, linhas)
    begins = (
        (linhas["ordem_classe"].diff() != 0) | (linhas["ordem_categoria"].diff() != 0)
        if len(linhas)
        else pd.Series([], dtype=bool)
    )
    keys: list[str | None] = [None] * len(linhas)
    first = linhas[begins.to_numpy()]
    for number, classe, categoria_id in zip(first.index, first["classe"], first["categoria_id"], strict=True):
        keys[int(number)] = lancamentos_key(str(classe), categoria_id)
    rows = tuple(Row(cells, key=key) for cells, key in zip(zip(*columns, strict=True), keys, strict=True))
    name = "lancamentos" if year is None else f"lancamentos_{year}"
    return Section(name, COLUMNS, rows, detail=True, tables=("lancamentos",), anchors=ANCHORS)


def _columns_of(position: Position, linhas: pd.DataFrame) -> list[list[Any]]:
    """Turn the frame into one list of cells per column, in the order of `COLUMNS`."""
    labels = position.rotulos
    titulos = position.titulos
    grupo = find_dre_grupos(position, linhas).where(~linhas["transferencia"])
    states = titulos.set_index("titulo_id")["situacao"]
    undue = titulos.loc[titulos["transferencia"] | (titulos["valor_centavos"] == 0), "titulo_id"]
    situacao = linhas["titulo_id"].map(states).where(~linhas["fora_controle"], BEFORE_CONTROL)
    situacao = situacao.where(linhas["pago"] | ~linhas["titulo_id"].isin(undue), OPEN)
    return [
        _dates(linhas["data"]),
        linhas["classe"].tolist(),
        _labels(linhas["categoria_id"], labels.categoria_caminho),
        _texts(linhas["descricao"]),
        _labels(linhas["pessoa_id"], labels.pessoa),
        _amounts(linhas["valor_centavos"]),
        _texts(situacao),
        _dates(linhas["data_pagamento"].where(linhas["caixa"])),
        _dates(linhas["data_competencia_ef"]),
        linhas["competencia_presumida"].tolist(),
        _dates(linhas["data_vencimento"]),
        _dates(linhas["data_pagamento"]),
        _labels(linhas["conta_id"], labels.conta),
        _labels(linhas["centro_custo_lucro_id"], labels.centro),
        _labels(linhas["forma_pagamento_id"], labels.forma),
        _labels(linhas["tipo_documento_id"], labels.tipo_documento),
        _texts(linhas["documento"]),
        _parcels(linhas["numero_repeticao"], linhas["total_repeticoes"]),
        _texts(linhas["periodicidade"]),
        linhas["natureza"].tolist(),
        linhas["pagamento_automatico"].tolist(),
        [", ".join(labels.tag(tag) for tag in tags) if _has_items(tags) else None for tags in linhas["tags"]],
        _texts(linhas["observacao"]),
        _timestamps(linhas["modified"]),
        _ids(linhas["titulo_id"]),
        _ids(linhas["linha_id"]),
        _texts(linhas["origem"]),
        _ids(linhas["lancamento_composto_id"]),
        _ids(linhas["lancamento_transferencia_id"]),
        _ids(linhas["grupo_id"]),
        _ids(linhas["pedido_id"]),
        _ids(linhas["conta_id"]),
        _ids(linhas["categoria_id"]),
        _ids(linhas["centro_custo_lucro_id"]),
        _ids(linhas["forma_pagamento_id"]),
        _ids(linhas["tipo_documento_id"]),
        _ids(linhas["tipo_custo_nivel_producao_id"]),
        _ids(linhas["tipo_custo_apropriacao_produto_id"]),
        _ids(linhas["pessoa_id"]),
        _texts(grupo.map(GROUP_LABELS)),
        _texts(grupo),
        _dates(linhas["data_projetada"].where(~linhas["pago"])),
    ]


def _shared(series: pd.Series, convert: Callable[[Any], Any], missing: Any = None) -> list[Any]:
    """Convert every distinct value once, so that equal cells are one object (memory at 300,000 rows)."""
    codes, uniques = pd.factorize(series, use_na_sentinel=True)
    return _spread(codes, [convert(value) for value in uniques.tolist()], missing)


def _spread(codes: np.ndarray[Any, Any], values: list[Any], missing: Any = None) -> list[Any]:
    """Put the values in the order of their codes; what is missing has the last of all, -1."""
    return list(map([*values, missing].__getitem__, codes.tolist()))


def _dates(days: pd.Series) -> list[date | None]:
    codes, uniques = pd.factorize(days, use_na_sentinel=True)
    return _spread(codes, pd.DatetimeIndex(uniques).date.tolist())


def _timestamps(moments: pd.Series) -> list[datetime | None]:
    codes, uniques = pd.factorize(moments, use_na_sentinel=True)
    return _spread(codes, pd.DatetimeIndex(uniques).to_pydatetime().tolist())


def _amounts(centavos: pd.Series) -> list[Any]:
    return _shared(centavos, to_decimal)


def _ids(ids: pd.Series) -> list[int | None]:
    return _shared(ids, int)


def _texts(texts: pd.Series) -> list[str | None]:
    return _shared(texts, lambda value: str(value) or None)


def _labels(ids: pd.Series, name: Callable[[object], str]) -> list[str]:
    return _shared(ids, name, name(None))


def _parcels(numbers: pd.Series, totals: pd.Series) -> list[str | None]:
    """Write "2/3"; an endless series prints its number alone (S10)."""
    pairs = zip(_ids(numbers), _ids(totals), strict=True)
    return [None if number is None else f"{number}/{total}" if total else str(number) for number, total in pairs]


def _has_items(tags: Any) -> bool:
    return tags is not None and not isinstance(tags, float) and len(tags) > 0


SPEC: Final = ReportSpec(
    code="R16",
    name="lancamentos",
    sheet="Lançamentos",
    title="Lançamentos",
    question="De que lançamentos é feito cada número?",
    family=Family.RECORDS,
    build=build_r16,
    printing=Printing.NONE,
    hint=SORTING_HINT,
)
