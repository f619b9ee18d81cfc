"""V07 and V08: category trees and the DRE against direct sums over the linhas (S15)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Final

import numpy as np
import pandas as pd

from lastro.calendar import month_start
from lastro.grid.model import Style
from lastro.grid.verdict import Outcome
from lastro.money import to_decimal
from lastro.quality.cash_tables import Reports, read_r04
from lastro.quality.printed import (
    Found,
    amount_or_zero,
    find_section,
    find_table,
    iter_sums,
    month_text,
    plain,
    read_columns,
    sum_money,
)
from lastro.quality.sheet_checks import compare_sheets
from lastro.quality.tally import Tally
from lastro.transform.position import ENTRADAS, NAO_OPERACIONAL, SAIDAS, Position

TREES: Final = {"entradas": ENTRADAS, "saidas": SAIDAS, "nao_operacional": NAO_OPERACIONAL}
GROUPS: Final = (
    "receita_bruta", "deducoes", "custos_variaveis", "pessoal", "administrativas", "comerciais", "nao_classificadas",
    "financeiro", "outras", "ir_csll", "fora",
)  # fmt: skip
"""Lines of a DRE with a map that are sums of linhas; the others add lines."""
SUMS: Final = {"receita_liquida": 2, "margem_contribuicao": 3, "ebitda": 7, "resultado_antes_ir": 9, "resultado": 10}
"""The other lines -> how many of `GROUPS`, from the first, they add."""
NATUREZAS: Final = {"R": "receitas", "D": "despesas"}
MARGENS: Final = frozenset({"margem_contribuicao", "ebitda"})
RESULTADO: Final = "resultado"
ZERO: Final = Decimal("0.00")

Nodes = Sequence[tuple[int, Found, str, Decimal]]
"""Printed rows of one tree and column: level, category id, text, value; the first one is the section at level 0."""


def check_v07(position: Position, reports: Reports) -> Outcome:
    """V07: in R04 and R06 every node is its direct amount plus its children, and the roots add to the section."""
    tally = Tally()
    flows = _sum_flows(position)
    for (mes, momento), nodes in read_r04(reports).items():
        for code, classe in TREES.items():
            tree = [(level, key, text, value) for line, level, key, text, value in nodes if line == code]
            prefix = f"Fluxo mensal · {month_text(mes)} {momento} · {code}"
            direct = None if flows is None else flows.get((classe, mes, momento), {})
            _check_tree(tally, prefix, tree, direct)
    table = find_table(reports, "dre")
    if table is not None:
        amounts, lines = _sum_dre(position, "categoria_id"), find_expected_lines(position)
        trees: dict[tuple[str, date], list[tuple[int, Found, str, Decimal]]] = {}
        names = ("codigo", "mes", "nivel", "categoria_id", "linha", "valor")
        for codigo, mes, level, key, text, value in read_columns(table, *names):
            trees.setdefault((codigo, mes), []).append((level, key, text, value))
        for (codigo, mes), tree in trees.items():
            if codigo in lines.groups:
                _check_tree(tally, f"DRE · {month_text(mes)} · {codigo}", tree, amounts.get((codigo, mes), {}))
    return tally.close()


def _check_tree(tally: Tally, prefix: str, nodes: Nodes, direct: Mapping[int | None, Decimal] | None) -> None:
    """Compare every node with its children, and every node without children with the linhas of its category."""
    if not nodes:
        return
    sums, children = _sum_children(nodes)
    seen: dict[int | None, Decimal] = {}
    for place, (level, key, text, value) in enumerate(nodes):
        name = f"{prefix} · {'total' if level == 0 else key if key is not None else 'sem categoria'}"
        if children[place] or level == 0:
            tally.compare(name, sums[place], value)
        elif direct is not None:
            seen[key] = seen.get(key, Decimal("0.00")) + value
            if text.endswith("(direto)"):
                name += " (direto)"
            tally.compare(name, direct.get(key, Decimal("0.00")), value)
    for key, value in (direct or {}).items():
        if value and key not in seen:
            tally.compare(f"{prefix} · {'sem categoria' if key is None else key}", value, None)


def _sum_children(nodes: Nodes) -> tuple[list[Decimal], list[int]]:
    """Add up the children of every node and count them."""
    sums = [Decimal("0.00")] * len(nodes)
    children = [0] * len(nodes)
    above: list[int] = []
    for place, (level, _, _, value) in enumerate(nodes):
        while above and nodes[above[-1]][0] >= level:
            above.pop()
        if above:
            sums[above[-1]] += value
            children[above[-1]] += 1
        above.append(place)
    return sums, children


def _sum_flows(position: Position) -> dict[tuple[str, date, str], dict[int | None, Decimal]] | None:
    """Add the cash linhas by class, month, moment (as R04 names it) and category.

    Returns:
        None with `projetar_infinitos`, whose planned rows are in no frame; the closures of the tree still hold.
    """
    if position.parametros.projetar_infinitos:
        return None
    fields = ["classe", "categoria_id", "valor_centavos", "caixa", "pago", "data_pagamento", "data_projetada"]
    linhas, current = position.linhas[fields], month_start(position.data_base)
    predicted = ~linhas["pago"] & linhas["data_projetada"].notna()
    found: dict[tuple[str, date, str], dict[int | None, Decimal]] = {}
    for chosen, day in ((linhas["caixa"], "data_pagamento"), (predicted, "data_projetada")):
        part = linhas[chosen]
        months = part[day].to_numpy().astype("datetime64[M]").astype("datetime64[s]")
        sums = part.assign(mes=months).groupby(["classe", "mes", "categoria_id"], dropna=False)["valor_centavos"].sum()
        for classe, stamp, categoria, value in iter_sums(sums):
            mes = pd.Timestamp(stamp).date()
            ahead = day == "data_projetada"
            momento = "previsto" if mes > current else "a_realizar" if ahead else "realizado"
            amounts = found.setdefault((str(classe), mes, momento), {})
            key = None if pd.isna(categoria) else int(categoria)
            amounts[key] = amounts.get(key, Decimal("0.00")) + to_decimal(value)
    return found


@dataclass(frozen=True)
class ExpectedLines:
    """The lines that a DRE must have by its map, found again (S17).

    Attributes:
        groups: lines that are sums of linhas, as the map has them.
        sums: line -> the groups it adds; the groups that it may lack are zero.
        undefined: lines without figures.
    """

    groups: frozenset[str]
    sums: Mapping[str, tuple[str, ...]]
    undefined: frozenset[str]


def find_expected_lines(position: Position) -> ExpectedLines:
    """Find the lines by the settings and the linhas themselves (S17, S17)."""
    mapped = position.parametros.dre_mapa
    if set(mapped.values()) <= {"fora"}:
        simple = tuple(NATUREZAS.values())
        return ExpectedLines(frozenset({*simple, "fora"}), {RESULTADO: simple}, frozenset())
    day = position.data_base
    first = pd.Timestamp(day.year - 1, day.month, 1)
    reached = dict(
        zip(position.categorias["categoria_id"].astype(int), position.categorias["dre_mapeada"], strict=True)
    )
    known = set(position.categorias.loc[position.categorias["conhecida"], "categoria_id"].astype(int))
    open_amount, spent = 0, 0
    linhas = position.linhas
    window = (
        linhas["lancamento_transferencia_id"].isna()
        & (linhas["data_competencia_ef"] >= first)
        & (linhas["data_competencia_ef"] <= pd.Timestamp(day))
    )
    names = ("categoria_id", "valor_centavos", "natureza", "fora_resultado")
    columns = (linhas.loc[window, name].tolist() for name in names)
    for categoria, valor, natureza, outside in zip(*columns, strict=True):
        if not pd.isna(categoria) and int(categoria) in known and not reached[int(categoria)]:
            open_amount += abs(valor)
        if natureza == "D" and not outside:
            spent += abs(valor)
    hidden = open_amount * 100 > spent * position.parametros.dre_mapa_tolerancia_pct
    sums = {line: GROUPS[:number] for line, number in SUMS.items()}
    return ExpectedLines(frozenset(GROUPS), sums, MARGENS if hidden else frozenset())


def _select_dre(position: Position) -> pd.DataFrame:
    """Non-transfer linhas with a competence month, with `mes` and `grupo` (by the map or natureza; its own fora)."""
    linhas = position.linhas
    chosen = linhas["lancamento_transferencia_id"].isna() & linhas["data_competencia_ef"].notna()
    kept = linhas.loc[chosen, _DRE_FIELDS]
    categorias = position.categorias
    by, names = "natureza", dict[Any, Any](NATUREZAS)
    if not set(position.parametros.dre_mapa.values()) <= {"fora"}:
        by, names = (
            "categoria_id",
            dict(zip(categorias["categoria_id"].astype(int), categorias["dre_grupo"], strict=True)),
        )
    # Each distinct key is looked up once; a row without one takes the last name.
    places, keys = pd.factorize(kept[by])
    named = np.array([*(names.get(key) or "outras" for key in keys.tolist()), "outras"], dtype=object)
    grupo = np.where(kept["fora_resultado"], "fora", named[places])
    months = kept["data_competencia_ef"].to_numpy().astype("datetime64[M]").astype("datetime64[s]")
    return kept.assign(grupo=grupo, mes=months)


_DRE_FIELDS: Final = [
    "categoria_id", "centro_custo_lucro_id", "natureza", "fora_resultado", "pago", "data_competencia_ef",
    "valor_centavos", "tags",
]  # fmt: skip


def _sum_dre(position: Position, by: str) -> dict[tuple[str, date], dict[int | None, Decimal]]:
    """Add the DRE's linhas by (group, month), then by another column."""
    sums = _select_dre(position).groupby(["grupo", "mes", by], dropna=False)["valor_centavos"].sum()
    found: dict[tuple[str, date], dict[int | None, Decimal]] = {}
    for grupo, stamp, key, value in iter_sums(sums):
        amounts = found.setdefault((str(grupo), pd.Timestamp(stamp).date()), {})
        amounts[None if pd.isna(key) else int(key)] = to_decimal(value)
    return found


def check_v08(position: Position, reports: Reports) -> Outcome:
    """V08: the DRE holds every non-transfer linha once, in its month; its lines, cost centres and year add up."""
    tally = Tally()
    table = find_table(reports, "dre")
    if table is None:
        return tally.close()
    linhas, lines = _select_dre(position), find_expected_lines(position)
    _check_competence(tally, position)
    names = ("codigo", "mes", "nivel", "valor", "pago_recebido", "em_aberto")
    line = {(codigo, mes): values for codigo, mes, level, *values in read_columns(table, *names) if level == 0}
    months = sorted({mes for _, mes in line})
    expected: dict[tuple[str, date, bool], Decimal] = {}
    for grupo, stamp, pago, value in iter_sums(linhas.groupby(["grupo", "mes", "pago"])["valor_centavos"].sum()):
        expected[str(grupo), pd.Timestamp(stamp).date(), bool(pago)] = to_decimal(value)
    zero = Decimal("0.00")
    # A month whose linhas are all of value zero is in no DRE (S8).
    for mes in sorted({*months, *(mes for (_, mes, _), value in expected.items() if value)}):
        for codigo in lines.groups:
            paid, pending = (expected.get((codigo, mes, pago), zero) for pago in (True, False))
            # Não classificadas has no line where a complete map leaves nothing to it.
            optional = [zero, zero, zero] if codigo == "nao_classificadas" else [None, None, None]
            found = line.get((codigo, mes), optional)
            for name, want, have in zip(("valor", "pago", "em aberto"), (paid + pending, paid, pending), found,
                                        strict=True):  # fmt: skip
                tally.compare(f"DRE · {month_text(mes)} · {codigo} · {name}", want, have)
        for codigo, parts in lines.sums.items():
            for place, name in enumerate(("valor", "pago", "em aberto")):
                have = line.get((codigo, mes), [None, None, None])[place]
                want = sum_money(line.get((part, mes), [None, None, None])[place] for part in parts)
                tally.compare(
                    f"DRE · {month_text(mes)} · {codigo} · {name}", None if codigo in lines.undefined else want, have
                )
    result = sum_money(line[RESULTADO, mes][0] for mes in months if (RESULTADO, mes) in line)
    outside = linhas["fora_resultado"]
    total = to_decimal(int(linhas.loc[~outside, "valor_centavos"].sum()))
    tally.compare("DRE · resultado de todos os meses", total, result)
    _check_centros(tally, position, reports, line)
    _check_year(tally, position, reports)
    _check_tags(tally, reports, linhas[~outside])
    _check_unmapped(tally, position, reports, linhas)
    compare_sheets(tally, reports, ("R06",))
    return tally.close(esperado=total, encontrado=result)


def _check_competence(tally: Tally, position: Position) -> None:
    """Find the competence date again (S4): the entry's own, else by `competencia_nula`."""
    linhas, rule = position.linhas, position.parametros.competencia_nula
    own = linhas["data_competencia"]
    if rule == "vencimento":
        expected = own.where(own.notna(), linhas["data_vencimento"])
    elif rule == "caixa":
        paid = linhas["data_pagamento"] <= pd.Timestamp(position.data_base)
        expected = own.where(own.notna(), linhas["data_pagamento"].where(paid, linhas["data_prevista"]))
    else:
        expected = own
    found = linhas["data_competencia_ef"]
    wrong = ~((expected == found) | (expected.isna() & found.isna()))
    tally.count += len(linhas)
    tally.fail(f"linha {linha_id}" for linha_id in linhas.loc[wrong, "linha_id"])


def _check_centros(
    tally: Tally, position: Position, reports: Reports, line: Mapping[tuple[str, date], Sequence[Found]]
) -> None:
    table = find_table(reports, "dre_centros")
    if table is None:
        return
    expected = _sum_dre(position, "centro_custo_lucro_id")
    sums: dict[tuple[str, date], Found] = {}
    cells: dict[tuple[str, date, int | None], Found] = {}
    for codigo, centro, mes, value in read_columns(table, "codigo", "centro_id", "mes", "valor"):
        sums[codigo, mes] = None if value is None else sums.get((codigo, mes), Decimal("0.00")) + value
        cells[codigo, mes, centro] = value
    centros, months, codes = ({key[place] for key in cells} for place in (2, 1, 0))
    tally.compare("DRE por centro · linhas", len(codes) * len(centros) * len(months), len(table.rows))
    _check_centro_sheet(tally, reports, sums)
    for (codigo, mes), values in line.items():
        if (codigo, mes) in sums or amount_or_zero(values[0]):
            key = f"DRE por centro · {month_text(mes)} · {codigo}"
            tally.compare(key, values[0], sums.get((codigo, mes), Decimal("0.00")))
    for (grupo, mes), amounts in expected.items():
        for centro, want in amounts.items():
            key = f"DRE por centro · {month_text(mes)} · {grupo} · centro {'sem' if centro is None else centro}"
            tally.compare(key, want, cells.get((grupo, mes, centro), Decimal("0.00")))


def _check_centro_sheet(tally: Tally, reports: Reports, sums: Mapping[tuple[str, date], Found]) -> None:
    """The printed month of the table by cost centre: its totals are the month's, and each row adds to its total."""
    section = find_section(reports, "dre_centros")
    if section is None:
        return
    codes = list(dict.fromkeys(codigo for codigo, _ in sums))
    tally.compare("DRE por centro planilha · linhas", len(codes) or len(section.rows), len(section.rows))
    period = section.columns[section.place("total")].period
    shown = next((mes for _, mes in sums if period is not None and mes == period.month), None)
    for codigo, row in zip(codes, section.rows, strict=False):
        values = {column.key: plain(cell) for column, cell in zip(section.columns, row.cells, strict=True)}
        total = values.pop("total")
        values.pop("linha")
        want = None if total is None and set(values.values()) <= {None} else sum_money(values.values())
        tally.compare(f"DRE por centro planilha · {codigo} · total", want, total)
        if shown is not None:
            tally.compare(f"DRE por centro planilha · {codigo}", sums.get((codigo, shown), ZERO), total)


def _check_unmapped(tally: Tally, position: Position, reports: Reports, linhas: pd.DataFrame) -> None:
    """The categories under the DRE that the map does not reach, with their amounts (Q20)."""
    table = find_table(reports, "dre_sem_grupo")
    categorias = position.categorias
    missing = categorias.loc[~categorias["dre_mapeada"], "categoria_id"]
    chosen = linhas[linhas["categoria_id"].isin(missing) & (linhas["valor_centavos"] != 0)]
    if table is None:
        tally.fail(["DRE · categorias sem grupo"] if len(chosen) else [])
        return
    sums = chosen.groupby("categoria_id")["valor_centavos"].sum()
    expected = {int(key): to_decimal(value) for key, value in iter_sums(sums)}
    found: dict[Found, Found] = dict(read_columns(table, "categoria_id", "valor"))
    tally.compare("DRE · linhas sem grupo", len(expected), len(table.rows))
    for key in sorted({*expected, *found}):
        tally.compare(f"DRE · sem grupo · categoria {key}", expected.get(key), found.get(key))


def _check_year(tally: Tally, position: Position, reports: Reports) -> None:
    """`Acumulado no ano` of each row = its months from January to D's month."""
    main, accumulated = find_table(reports, "dre"), find_table(reports, "dre_acumulado")
    if main is None or accumulated is None:
        return
    current = month_start(position.data_base)
    nodes: dict[tuple[str, int, Found, str], Found] = {}
    for codigo, level, key, text, mes, value in read_columns(
        main, "codigo", "nivel", "categoria_id", "linha", "mes", "valor"
    ):
        node = (codigo, level, key, text)
        nodes.setdefault(node, Decimal("0.00"))
        if value is None:
            nodes[node] = None
        elif current.replace(month=1) <= mes <= current:
            nodes[node] += value
    rows = read_columns(accumulated, "codigo", "nivel", "categoria_id", "linha", "acumulado_no_ano")
    tally.compare("DRE · linhas do acumulado", len(nodes), len(rows))
    for codigo, level, key, text, value in rows:
        want = nodes.get((codigo, level, key, text))
        tally.compare(f"DRE · acumulado · {codigo} · {'total' if level == 0 else key}", want, value)


def _check_tags(tally: Tally, reports: Reports, linhas: pd.DataFrame) -> None:
    table = find_table(reports, "dre_tags")
    bears = np.fromiter(map(bool, linhas["tags"]), bool, len(linhas))
    tagged = linhas[bears & (linhas["valor_centavos"] != 0).to_numpy()]
    if table is None:
        tally.fail(["DRE · tags"] if len(tagged) else [])
        return
    expected: dict[int, int] = {}
    for tags, value in zip(tagged["tags"].tolist(), tagged["valor_centavos"].tolist(), strict=True):
        for tag in {int(tag) for tag in tags}:
            expected[tag] = expected.get(tag, 0) + int(value)
    found: dict[Found, Found] = dict(read_columns(table, "tag_id", "resultado"))
    tally.compare("DRE · linhas de tags", len(expected), len(table.rows))
    for tag, value in expected.items():
        tally.compare(f"DRE · tag {tag}", to_decimal(value), found.get(tag))
    section = find_section(reports, "dre_tags")
    if section is None:
        return
    totals = [row for row in section.rows if row.style is Style.TOTAL]
    for printed in section.cells_of("resultado", totals):
        total = to_decimal(int(tagged["valor_centavos"].sum()))
        tally.compare("DRE · tags · total sem repetição", total, plain(printed))
