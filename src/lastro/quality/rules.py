"""The data-quality rules Q: odd rows worth a person's look, with why it matters and what to do (R15).

A finding changes no figure. Transfers are only in Q08, Q09, Q10, Q15 and Q19.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.analysis.dre_map import find_not_operational
from lastro.analysis.to_do import find_forgotten
from lastro.calendar import add_months, month_end, month_start, week_start
from lastro.grid.verdict import Finding
from lastro.money import to_decimal
from lastro.quality.finding_rules import FINDING_RULES, MEMO
from lastro.quality.record_checks import find_broken_pairs
from lastro.transform.names import sort_key
from lastro.transform.recurrence import plan_endless_series

if TYPE_CHECKING:
    from lastro.transform.position import Position

MAX_GAP_DAYS: Final = 60
"""Q06: competence further than this from the due date."""
MAX_LATE_DAYS: Final = 180
"""Q16."""
OPENING_TEXT: Final = "saldo inicial"


# Of many columns only those that the rules look at: there may be hundreds of thousands of rows.
_LINHA_FIELDS: Final = [
    "linha_id", "valor_centavos", "transferencia", "pago", "categoria_id", "competencia_presumida", "data_competencia",
    "data_vencimento", "data_pagamento", "data_prevista", "fora_controle", "pagamento_automatico",
]  # fmt: skip
_TITULO_FIELDS: Final = [
    "titulo_id", "valor_centavos", "transferencia", "pago", "tipo", "pessoa_id", "grupo_id", "numero_repeticao",
    "total_repeticoes", "data_vencimento", "vencido", "dias", "pagamento_automatico",
]  # fmt: skip


def find_findings(
    position: Position,
    repetidos: Iterable[int] = (),
    nao_lidos: Sequence[tuple[str, str]] = (),
    nao_entendidos: Sequence[int] = (),
) -> list[Finding]:
    """Apply every Q rule.

    Ids are títulos for Q03, Q04, Q07, Q13, Q16 and Q33; linhas for Q01, Q02, Q05, Q06, Q08 to Q10, Q14, Q15 and Q19;
    accounts for Q11; groups (or the only título of a series without one) for Q12; persons for Q17; groups for Q18;
    categories for Q20 and Q21; forms, centres, tags and
    document types alike for Q34; of whatever list they are of for Q35; persons and títulos for Q39; linhas for the
    memo. Q31 has none.

    Args:
        position: the position as of D; not mutated.
        repetidos: ids that a listing brought more than once, with different content (Q35).
        nao_lidos: files of people that were not read: name and reason (Q31).
        nao_entendidos: key of the row of each text at the desk that was not understood (Q39).

    Returns:
        Every rule of `FINDING_RULES` in order, also those that found nothing; the memo "baixas automáticas do mês"
        (S10) comes last.
    """
    linhas = position.linhas[_LINHA_FIELDS]
    own = linhas[~linhas["transferencia"]]
    titulos = position.titulos[_TITULO_FIELDS]
    titulos = titulos[~titulos["transferencia"]]
    pending = titulos[~titulos["pago"] & (titulos["tipo"] != "Z")]
    gap = (own["data_competencia"] - own["data_vencimento"]).dt.days.abs()
    return [
        _of_linhas("Q01", own[own["categoria_id"].isna()]),
        _of_linhas("Q02", own[~own["pago"] & own["categoria_id"].isin(_inactive(position))]),
        _of_titulos("Q03", titulos[titulos["pessoa_id"].isna()]),
        _of_titulos("Q04", titulos[titulos["tipo"] == "Z"]),
        _of_linhas("Q05", own[own["competencia_presumida"]]),
        _of_linhas("Q06", own[gap > MAX_GAP_DAYS]),
        _of_titulos("Q07", _find_not_settled(position, titulos)),
        _of_linhas("Q08", _find_late_transfers(position)),
        _of_linhas("Q09", linhas[linhas["linha_id"].isin(find_broken_pairs(position)) & linhas["transferencia"]]),
        _of_linhas("Q10", linhas[linhas["fora_controle"]]),
        _finding("Q11", position.contas.loc[~position.contas["tem_saldo_inicial"], "conta_id"].dropna(), None),
        _find_missing_recurrences(position),
        _of_titulos("Q13", _find_duplicates(titulos)),
        _of_linhas("Q14", _find_opposite_signs(position, own)),
        _of_linhas("Q15", linhas[linhas["data_pagamento"] > pd.Timestamp(position.data_extracao)]),
        _of_titulos("Q16", pending[pending["vencido"] & (pending["dias"] > MAX_LATE_DAYS).fillna(value=False)]),
        _find_undocumented(position, pending),
        _find_missing_instalments(titulos),
        _of_linhas("Q19", _find_opening_suspects(position)),
        _find_without_group(position, own),
        _find_suspects_of_fora(position),
        _tell_unread(nao_lidos),
        _of_titulos("Q33", find_forgotten(position)),
        _find_unnamed(position),
        _finding("Q35", repetidos, None),
        replace(_finding("Q39", nao_entendidos, None), qtde=len(nao_entendidos)),
        _of_linhas(MEMO, _find_automatic(position, own)),
    ]


def _finding(regra: str, ids: Iterable[int], centavos: int | None) -> Finding:
    rule = FINDING_RULES[regra]
    keys = tuple(sorted({int(key) for key in ids}))
    valor = None if centavos is None else to_decimal(centavos)
    return Finding(regra, rule.titulo, rule.gravidade, len(keys), valor, keys, rule.por_que, rule.como_corrigir)


def _tell_unread(nao_lidos: Sequence[tuple[str, str]]) -> Finding:
    """Q31: files of people that were not read, each with its reason."""
    found = replace(_finding("Q31", (), None), qtde=len(nao_lidos))
    told = " · ".join(f"{name}: {reason}" for name, reason in nao_lidos)
    return replace(found, por_que=f"{told}. {found.por_que}") if told else found


def _of_linhas(regra: str, linhas: pd.DataFrame) -> Finding:
    return _finding(regra, linhas["linha_id"].tolist(), int(linhas["valor_centavos"].sum()))


def _of_titulos(regra: str, titulos: pd.DataFrame) -> Finding:
    return _finding(regra, titulos["titulo_id"].tolist(), int(titulos["valor_centavos"].sum()))


def _inactive(position: Position) -> list[int]:
    categorias = position.categorias
    chosen = categorias["conhecida"] & ~categorias["ativo"]
    return [int(key) for key in categorias.loc[chosen, "categoria_id"]]


def _find_not_settled(position: Position, titulos: pd.DataFrame) -> pd.DataFrame:
    """Automatic, open and due before D; only told on the extraction day (S10)."""
    if position.data_base != position.data_extracao:
        return titulos.iloc[:0]
    due = titulos["data_vencimento"] < pd.Timestamp(position.data_base)
    return titulos[titulos["pagamento_automatico"] & ~titulos["pago"] & due]


def _find_late_transfers(position: Position) -> pd.DataFrame:
    linhas = position.linhas[_LINHA_FIELDS]
    late = linhas["data_prevista"] < pd.Timestamp(position.data_base)
    return linhas[linhas["transferencia"] & ~linhas["pago"] & late]


def _find_missing_recurrences(position: Position) -> Finding:
    """Q12: endless series whose last due date is before the end of the longest horizon (S10).

    The value is that of the occurrences missing up to there; a series of unknown code has no estimate.
    """
    horizonte, day = position.parametros.horizonte, position.data_base
    end = max(
        day + timedelta(days=horizonte["dias"] - 1),
        week_start(day) + timedelta(days=7 * horizonte["semanas"] - 1),
        month_end(add_months(month_start(day), horizonte["meses"])),
    )
    planned = plan_endless_series(position.series_sem_fim, date.min, end)
    last = position.series_sem_fim
    ended = last[last["data_vencimento"] < pd.Timestamp(end)]
    ids = [int(str(serie)[1:]) for serie in ended["serie"]]
    return _finding("Q12", ids, int(planned["valor_centavos"].sum()))


def _find_duplicates(titulos: pd.DataFrame) -> pd.DataFrame:
    """Q13: same known person, value and due date, unless all are of one repetition group."""
    key = ["pessoa_id", "valor_centavos", "data_vencimento"]
    known = titulos["pessoa_id"].notna() & titulos["data_vencimento"].notna() & (titulos["tipo"] != "Z")
    kept = titulos.loc[known, ["titulo_id", "grupo_id", *key]]
    kept = kept[kept.duplicated(key, keep=False)]
    if kept.empty:
        return kept
    alike = kept.groupby(key)["titulo_id"].transform("size")
    same_group = kept.groupby([*key, "grupo_id"], dropna=False)["titulo_id"].transform("size")
    return kept[kept["grupo_id"].isna() | (same_group < alike)]


def _find_opposite_signs(position: Position, linhas: pd.DataFrame) -> pd.DataFrame:
    kinds = position.categorias.set_index("categoria_id")["tipo_categoria_id"]
    kind = linhas["categoria_id"].map(kinds).astype("Int64").fillna(0)
    valor = linhas["valor_centavos"]
    return linhas[((kind == 2) & (valor < 0)) | ((kind == 1) & (valor > 0))]


def _find_undocumented(position: Position, pending: pd.DataFrame) -> Finding:
    pessoas = position.pessoas
    blank = pessoas["conhecida"] & (pessoas["documento"].fillna("").astype(str).str.strip() == "")
    chosen = pending[pending["pessoa_id"].isin(pessoas.loc[blank, "pessoa_id"])]
    return _finding("Q17", chosen["pessoa_id"].tolist(), int(chosen["valor_centavos"].sum()))


def _find_missing_instalments(titulos: pd.DataFrame) -> Finding:
    """Q18: groups with a known total some of whose numbers 1..total are absent."""
    grouped = titulos[titulos["grupo_id"].notna()]
    sizes = grouped.groupby("grupo_id")["total_repeticoes"].max()
    known = sizes[(sizes > 0).fillna(value=False)]
    inside = grouped[grouped["grupo_id"].isin(known.index)]
    limit = inside["grupo_id"].map(known)
    number = inside["numero_repeticao"]
    valid = inside[((number >= 1) & (number <= limit)).fillna(value=False).astype(bool)]
    present = valid.groupby("grupo_id")["numero_repeticao"].nunique().reindex(known.index, fill_value=0)
    short = known.index[(present < known).to_numpy(dtype=bool)]
    chosen = titulos[titulos["grupo_id"].isin(short)]
    return _finding("Q18", short.tolist(), int(chosen["valor_centavos"].sum()))


def _find_opening_suspects(position: Position) -> pd.DataFrame:
    """Q19: rows that look like an opening balance and are not configured as one (S7)."""
    linhas = position.linhas[["linha_id", "conta_id", "valor_centavos", "data_pagamento", "descricao", "origem"]]
    linhas = linhas[linhas["origem"] == "lancamento"]
    contas = position.contas[position.contas["tem_saldo_inicial"] & position.contas["data_saldo_inicial"].notna()]
    known = contas.dropna(subset=["conta_id"]).set_index("conta_id")
    # Not Series.map: without any such account it cannot map to dates.
    opening = known[["data_saldo_inicial", "valor_saldo_inicial_centavos"]].reindex(pd.Index(linhas["conta_id"]))
    since, value = (opening[name].set_axis(linhas.index) for name in opening.columns)
    same = (linhas["data_pagamento"] == since) & (linhas["valor_centavos"] == value.astype("Int64")).fillna(value=False)
    # Descriptions repeat: each distinct one is folded once.
    texts = linhas["descricao"]
    named = {text for text in texts.unique() if text and OPENING_TEXT in sort_key(text)}
    return linhas[same.astype(bool) | texts.isin(named)]


def _find_without_group(position: Position, linhas: pd.DataFrame) -> Finding:
    """Q20: categories with amounts that neither they nor an ancestor are in the map; without one, all (R06)."""
    categorias = position.categorias
    missing = categorias.loc[~categorias["dre_mapeada"], "categoria_id"]
    chosen = linhas[linhas["categoria_id"].isin(missing) & (linhas["valor_centavos"] != 0)]
    return _finding("Q20", chosen["categoria_id"].tolist(), int(chosen["valor_centavos"].sum()))


def _find_suspects_of_fora(position: Position) -> Finding:
    """Q21: what looks like no result and is counted as one, with the lines to paste (S17)."""
    chosen = find_not_operational(position)
    found = _finding("Q21", chosen["categoria_id"].tolist(), int(chosen["valor_centavos"].sum()))
    if not found.qtde:
        return found
    lines = " · ".join(f'{key} = "fora"' for key in found.ids)
    return replace(found, como_corrigir=f"{found.como_corrigir.removesuffix('.')}: {lines}")


def _find_unnamed(position: Position) -> Finding:
    """Q34: ids of forms, centres, tags and document types in use that have no name, with the lines to paste."""
    linhas, names = position.linhas, position.rotulos
    tagged = linhas["tags"].explode()
    columns = {
        "formas": ("forma_pagamento_id", names.formas),
        "centros": ("centro_custo_lucro_id", names.centros),
        "tipos_documento": ("tipo_documento_id", names.tipos_documento),
    }
    seen = {setting: set(linhas[column].dropna().unique()) for setting, (column, _) in columns.items()}
    seen["formas"] |= set(position.cobrancas["forma_pagamento_id"].dropna())
    seen["tags"] = set(tagged.dropna())
    known = {setting: names for setting, (_, names) in columns.items()} | {"tags": names.tags}
    missing = {
        setting: sorted(int(key) for key in ids if not known[setting].get(int(key))) for setting, ids in seen.items()
    }
    bare = pd.Series(linhas.index.isin(tagged.index[tagged.isin(missing["tags"])]), index=linhas.index)
    for setting, (column, _) in columns.items():
        bare |= linhas[column].isin(missing[setting]).astype(bool)
    centavos = int(linhas.loc[bare, "valor_centavos"].sum())
    found = _finding("Q34", [key for ids in missing.values() for key in ids], centavos)
    lines = " · ".join(_write_labels(setting, ids) for setting, ids in missing.items() if ids)
    return replace(found, como_corrigir=f"{found.como_corrigir.removesuffix('.')}: {lines}") if lines else found


def _write_labels(setting: str, ids: Iterable[int]) -> str:
    names = ", ".join(f'{key} = "nome"' for key in ids)
    return f"{setting} = {{ {names} }}"


def _find_automatic(position: Position, linhas: pd.DataFrame) -> pd.DataFrame:
    first = pd.Timestamp(month_start(position.data_base))
    this_month = linhas["pago"] & (linhas["data_pagamento"] >= first)
    return linhas[linhas["pagamento_automatico"] & this_month]
