"""What moved between two runs (R14): every linha of both matched, its type of change, the bridge of what is open.

Belongs here: frames and sums. Does not belong here: rows and columns of the sheet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from lastro.analysis.frames import differ
from lastro.analysis.versions import KEY, add_identity
from lastro.folding import fold_words
from lastro.transform.closed_months import find_closing

if TYPE_CHECKING:
    from lastro.transform.labels import Labels
    from lastro.transform.position import Position

EXCLUIDO, NOVO, ESTORNADO, LIQUIDADO, OUTROS = "EXCLUIDO", "NOVO", "ESTORNADO", "LIQUIDADO", "OUTROS"
FIELDS: Final = {
    "valor_centavos": ("VALOR", "Valor"),
    "data_vencimento": ("VENCIMENTO", "Vencimento"),
    "data_pagamento": ("PAGAMENTO", "Pagamento"),
    "data_competencia": ("COMPETENCIA", "Competência"),
    "categoria_id": ("CATEGORIA", "Categoria"),
    "conta_id": ("CONTA", "Conta"),
    "pessoa_id": ("PESSOA", "Pessoa"),
    "centro_custo_lucro_id": ("CENTRO", "Centro"),
    "descricao": (OUTROS, "Descrição"),
    "documento": (OUTROS, "Documento"),
    "observacao": (OUTROS, "Observação"),
    "forma_pagamento_id": (OUTROS, "Forma"),
    "tipo_documento_id": (OUTROS, "Tipo de documento"),
    "tipo_custo_nivel_producao_id": (OUTROS, "Custo por nível de produção"),
    "tipo_custo_apropriacao_produto_id": (OUTROS, "Custo apropriado ao produto"),
    "grupo_id": (OUTROS, "Grupo"),
    "numero_repeticao": (OUTROS, "Parcela"),
    "total_repeticoes": (OUTROS, "Total de parcelas"),
    "periodicidade": (OUTROS, "Periodicidade"),
    "pedido_id": (OUTROS, "Pedido"),
    "lancamento_transferencia_id": (OUTROS, "Transferência"),
    "pagamento_automatico": (OUTROS, "Automático"),
    "tags": (OUTROS, "Tags"),
}
"""Compared field -> type of the change (R14) and its printed name; types in the order of their priority."""
TYPES: Final = (EXCLUIDO, NOVO, ESTORNADO, LIQUIDADO, *dict.fromkeys(tipo for tipo, _ in FIELDS.values()))
"""Types in the order of their priority: a linha counts once, by the first that holds."""
VENCEU_RECEBER, VENCEU_PAGAR = "VENCEU_RECEBER", "VENCEU_PAGAR"
BRIDGE: Final = {
    "aberto_a": "Em aberto no relatório anterior",
    "novos_abertos": "+ Novos em aberto",
    "excluidos_abertos": "- Excluídos que estavam em aberto",
    "liquidados": "- Liquidados (pelo valor anterior)",
    "estornados": "+ Estornados (pelo valor atual)",
    "mudanca_de_valor": "+ Mudança de valor dos que seguem em aberto",
    "aberto_b": "= Em aberto agora",
}
"""Lines of the portfolio bridge; every amount has the sign with which it adds."""
REGIMES: Final = {
    "Competência": ("data_competencia_ef", "mes_competencia"),
    "Caixa": ("data_pagamento", "mes_caixa"),
}
"""How a closed month is read: date that must lie up to the closing, and month it counts in."""
_STATE = ("pago", "transferencia", "fora_resultado", "data_competencia_ef", "caixa", "mes_competencia", "mes_caixa")
_SHOWN = ("descricao", "pessoa_id", "classe", "categoria_id", "modified", "titulo_id")
_COMPARED = tuple(name for name in FIELDS if name != "tags")


@dataclass(frozen=True)
class Comparison:
    """The previous report held against this one (R14): of a whole position the little that tells them apart.

    Attributes:
        data_base: D of the previous report.
        rotulos: its names.
        mudadas: linhas that are not the same in both, as `compare_runs` returns them.
        fechado_ate: last day that was closed when it was issued (`find_closing`).
        aberto: its open portfolio without transfers, signed centavos.
        fechados: regime -> closed month -> what it said of that month, signed centavos (`sum_closed`).
        vencidos: what it had as late (`find_late`): titulo_id, tipo, valor_centavos.
        cobrancas: charges whose status changed (`find_changed_charges`).
        remapeadas: how many of its linhas the map of now counts otherwise than the map of then.
    """

    data_base: date
    rotulos: Labels
    mudadas: pd.DataFrame
    fechado_ate: date
    aberto: int
    fechados: Mapping[str, Mapping[date, int]]
    vencidos: pd.DataFrame
    cobrancas: pd.DataFrame
    remapeadas: int = 0


def compare_reports(position: Position, before: Position, remapeadas: Iterable[int] = ()) -> Comparison:
    """Hold a position against that of the previous report, which nobody needs any more afterwards (R14).

    Args:
        position: run B as of D.
        before: run A, the previous report, as of its own day.
        remapeadas: linha ids that the map of now counts otherwise than the map of then, of more than `before` maybe.
    """
    closed_on = find_closing(position, before)
    return Comparison(
        data_base=before.data_base,
        rotulos=before.rotulos,
        mudadas=compare_runs(position, before),
        fechado_ate=closed_on,
        aberto=_sum_open(before),
        fechados={regime: sum_closed(before, *dates, closed_on) for regime, dates in REGIMES.items()},
        vencidos=find_late(before)[["titulo_id", "tipo", "valor_centavos"]],
        cobrancas=find_changed_charges(position, before),
        remapeadas=int(before.linhas["linha_id"].isin(list(remapeadas)).sum()),
    )


def compare_runs(position: Position, before: Position) -> pd.DataFrame:
    """Match the linhas of two runs and say what each change is (R14).

    Paid and open are as of each run's own day.

    Args:
        position: run B as of D.
        before: run A, the previous report, as of its own day.

    Returns:
        One row per linha of either run that is not the same in both, sorted by key: `chave_composto`, `linha_id`,
        `em_a`, `em_b` (present there), every compared field and state with the suffixes `_a` and `_b`, `tipo` (None:
        something else changed, such as what its category counts as), `mudou_<field>`, `impacto_aberto_centavos` and
        `impacto_resultado_centavos` (B minus A: open non-transfer; competence non-fora), `mes_fechado` (an old or new
        competence or payment date up to `find_closing`).
    """
    a, b = add_identity(before.linhas, position.linhas)
    a, b = map(_prepare, _leave_out_same(a, b))
    columns = [*KEY, "texto_tags", "tags", *dict.fromkeys((*_COMPARED, *_STATE, *_SHOWN))]
    # No cardinality is demanded: a doubled linha must reach the checks (V10), not end the run here.
    both = (
        a[columns]
        .merge(b[columns], on=KEY, how="outer", suffixes=("_a", "_b"), indicator="lado")
        .sort_values(KEY, ignore_index=True)
    )
    both["em_a"], both["em_b"] = both["lado"] != "right_only", both["lado"] != "left_only"
    for name in ("pago", "transferencia", "fora_resultado", "caixa"):
        for side in ("a", "b"):
            both[f"{name}_{side}"] = both[f"{name}_{side}"].fillna(value=False).astype(bool)
    in_both = both["em_a"] & both["em_b"]
    for name in FIELDS:
        source = "texto_tags" if name == "tags" else name
        both[f"mudou_{name}"] = in_both & differ(both[f"{source}_a"], both[f"{source}_b"])
    both["tipo"] = _find_types(both, in_both)
    both["impacto_aberto_centavos"] = _open_value(both, "b") - _open_value(both, "a")
    both["impacto_resultado_centavos"] = _result_value(both, "b") - _result_value(both, "a")
    both["mes_fechado"] = _touches_closed(both, find_closing(position, before))
    return both.drop(columns="lado")


def _leave_out_same(a: pd.DataFrame, b: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Leave out the linhas that are the same in both runs: of a day's run nearly all.

    A doubled linha stays, with all that bear its key.
    """
    places = [side[KEY].assign(**{name: np.arange(len(side))}) for name, side in (("a", a), ("b", b))]
    pairs = places[0].merge(places[1], on=KEY)
    in_a, in_b = (pairs[name].to_numpy() for name in ("a", "b"))
    same = ~pairs.duplicated(KEY, keep=False).to_numpy()
    for name in dict.fromkeys((*FIELDS, *_STATE)):
        left, right = (_comparable(side[name]) for side in (a, b))
        same &= left[in_a] == right[in_b]
    return a[~np.isin(np.arange(len(a)), in_a[same])], b[~np.isin(np.arange(len(b)), in_b[same])]


def _comparable(column: pd.Series) -> np.ndarray[tuple[int], np.dtype[Any]]:
    """Give a column as values among which a null equals a null."""
    if column.dtype.kind == "M":
        return column.to_numpy().view("int64")
    if isinstance(column.dtype, pd.Int64Dtype):
        return column.to_numpy(dtype="int64", na_value=np.iinfo("int64").min)
    return column.to_numpy()


def _prepare(linhas: pd.DataFrame) -> pd.DataFrame:
    """Make fields comparable: nullable integers stay exact in an outer join, unset texts are equal however written."""
    texts = {name: linhas[name].fillna("") for name in ("descricao", "documento", "observacao", "periodicidade")}
    tags = pd.Series(
        [",".join(map(str, sorted(tags))) if tags else "" for tags in linhas["tags"]], index=linhas.index, dtype=object
    )
    return linhas.assign(**texts, valor_centavos=linhas["valor_centavos"].astype("Int64"), texto_tags=tags)


def _find_types(both: pd.DataFrame, in_both: pd.Series) -> pd.Series:
    conditions = [
        ~both["em_b"],
        ~both["em_a"],
        in_both & both["pago_a"] & ~both["pago_b"],
        in_both & both["pago_b"] & ~both["pago_a"],
    ]
    names = [EXCLUIDO, NOVO, ESTORNADO, LIQUIDADO]
    for field, (tipo, _) in FIELDS.items():
        conditions.append(both[f"mudou_{field}"])
        names.append(tipo)
    chosen = np.select([condition.to_numpy(dtype=bool) for condition in conditions], names, "")
    return pd.Series(chosen, index=both.index, dtype=object).replace("", None)


def _open_value(both: pd.DataFrame, side: str) -> pd.Series:
    counted = both[f"em_{side}"] & ~both[f"pago_{side}"] & ~both[f"transferencia_{side}"]
    return both[f"valor_centavos_{side}"].where(counted, 0).astype("int64")


def _result_value(both: pd.DataFrame, side: str) -> pd.Series:
    counted = (
        both[f"em_{side}"]
        & ~both[f"transferencia_{side}"]
        & ~both[f"fora_resultado_{side}"]
        & both[f"data_competencia_ef_{side}"].notna()
    )
    return both[f"valor_centavos_{side}"].where(counted, 0).astype("int64")


def _touches_closed(both: pd.DataFrame, closed_on: date) -> pd.Series:
    """Tell which changes lie in a closed month: by a payment date, or by competence where more than a payment changed.

    Who settles what was sold in a closed month changes nothing of that month's result.
    """
    limit = pd.Timestamp(closed_on)
    paid, sold = (
        (both[f"{name}_a"] <= limit) | (both[f"{name}_b"] <= limit)
        for name in ("data_pagamento", "data_competencia_ef")
    )
    others = [both[f"mudou_{name}"] for name in FIELDS if name != "data_pagamento"]
    same = ~np.logical_or.reduce(others) & ~differ(both["data_competencia_ef_a"], both["data_competencia_ef_b"])
    settled = both["mudou_data_pagamento"] | (both["pago_a"] != both["pago_b"])
    only_settled: pd.Series = same & settled & both["em_a"] & both["em_b"]
    return paid | (sold & ~only_settled)


def compute_bridge(compared: Comparison, position: Position) -> dict[str, int]:
    """Lead from the open portfolio of A to that of B (R14, V17), transfers out.

    A linha that became a transfer counts as excluded, one that ceased to be as new.

    Args:
        compared: for where they begin, and the steps.
        position: run B as of D, for where they lead.

    Returns:
        Key of `BRIDGE` -> signed centavos, each as it adds.
    """
    both = compared.mudadas
    in_a, in_b = both["em_a"] & ~both["transferencia_a"], both["em_b"] & ~both["transferencia_b"]
    open_a, open_b = _open_value(both, "a"), _open_value(both, "b")
    step = pd.Series(
        np.select(
            [~in_a & ~in_b, ~in_a, ~in_b, both["pago_a"], both["pago_b"]],
            ["", "novos_abertos", "excluidos_abertos", "estornados", "liquidados"],
            "mudanca_de_valor",
        ),
        index=both.index,
    )
    sums = (open_b - open_a).groupby(step).sum()
    bridge = {name: int(sums.get(name, 0)) for name in BRIDGE}
    return {**bridge, "aberto_a": compared.aberto, "aberto_b": _sum_open(position)}


def _sum_open(position: Position) -> int:
    """Add what is open, signed centavos, transfers out."""
    linhas = position.linhas
    return int(linhas.loc[~linhas["pago"] & ~linhas["transferencia"], "valor_centavos"].sum())


def sort_changes(changed: pd.DataFrame) -> pd.DataFrame:
    """Add the affected month and sort: closed months first, then the larger impact, then the id.

    The affected month is the earlier of both competence months; where the change is a payment, of both payments; the
    due month where there is none of these.
    """

    def earlier(name: str) -> pd.Series:
        first = pd.concat([changed[f"{name}_a"], changed[f"{name}_b"]], axis=1).min(axis=1)
        months: pd.Series = first.dt.to_period("M").dt.to_timestamp()
        return months

    payment = changed["tipo"].isin([ESTORNADO, LIQUIDADO, "PAGAMENTO"])
    months = earlier("data_competencia_ef").mask(payment, earlier("data_pagamento"))
    months = months.fillna(earlier("data_vencimento"))
    size = np.maximum(changed["impacto_aberto_centavos"].abs(), changed["impacto_resultado_centavos"].abs())
    return changed.assign(mes_afetado=months, aberto=~changed["mes_fechado"], tamanho=-size).sort_values(
        ["aberto", "tamanho", "linha_id", "chave_composto"], ignore_index=True
    )


def split_by_type(both: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Give the changed linhas of each type that there is, in the order of `TYPES`."""
    there = set(both["tipo"])
    for tipo in TYPES:
        if tipo in there:
            yield tipo, both[both["tipo"] == tipo]


def find_late(position: Position) -> pd.DataFrame:
    """Find the títulos that are overdue and cannot be settled any more without charges (S8: vencido efetivo).

    Of receivables without those `fora_resultado` (S9), as in all figures of them.
    """
    titulos = position.titulos
    late = titulos["vencido"] & ~titulos["em_carencia"] & ~titulos["pago"] & ~titulos["transferencia"]
    return titulos[late & ~(titulos["fora_resultado"] & (titulos["tipo"] == "R"))]


def find_changed_charges(position: Position, before: Position) -> pd.DataFrame:
    """Find the charges whose status changed, by id; `status_antes` is the earlier one."""
    old = before.cobrancas[["cobranca_id", "status"]]
    both = position.cobrancas.merge(old, on="cobranca_id", suffixes=("", "_antes"), validate="1:1")
    return both[both["status"] != both["status_antes"]].sort_values("cobranca_id")


def sum_closed(position: Position, day: str, month: str, closed_on: date) -> dict[date, int]:
    """Add a run's own figures by closed month, apart from the comparison that has to explain them."""
    linhas = position.linhas
    counted = ~linhas["transferencia"] & (linhas[day] <= pd.Timestamp(closed_on)) & linhas[month].notna()
    if month == "mes_competencia":
        counted &= ~linhas["fora_resultado"]
    sums = linhas.loc[counted, "valor_centavos"].groupby(linhas.loc[counted, month]).sum()
    return {stamp.date(): int(value) for stamp, value in sums.items()}  # type: ignore[attr-defined]


def explain_closed(both: pd.DataFrame, day: str, month: str, closed_on: date) -> pd.DataFrame:
    """List what each linha adds to a closed month in A and in B, where that differs; no document that evens out."""
    sides = []
    for side in ("a", "b"):
        counted = (
            both[f"em_{side}"]
            & ~both[f"transferencia_{side}"]
            & (both[f"{day}_{side}"] <= pd.Timestamp(closed_on))
            & both[f"{month}_{side}"].notna()
        )
        if month == "mes_competencia":
            counted &= ~both[f"fora_resultado_{side}"]
        part = both.loc[counted, [*KEY, f"{month}_{side}", f"valor_centavos_{side}"]]
        sides.append(part.set_axis([*KEY, "mes", side], axis=1))
    # A linha twice must reach the checks (V10), not end the run here: what it adds to a month is added up first.
    added = [side.groupby([*KEY, "mes"], as_index=False).sum() for side in sides]
    joined = added[0].merge(added[1], on=[*KEY, "mes"], how="outer", validate="1:1")
    joined[["a", "b"]] = joined[["a", "b"]].fillna(0).astype("int64")
    joined["diferenca"] = joined["b"] - joined["a"]
    joined = joined[joined["diferenca"] != 0]
    shown = ["tipo", "em_b", "classe_b", "categoria_id_b", "descricao_a", "descricao_b"]
    joined = joined.merge(both[[*KEY, *shown]].drop_duplicates(KEY), on=KEY, how="left", validate="m:1")
    joined = _leave_out_even(joined, both)
    return joined.assign(tamanho=-joined["diferenca"].abs()).sort_values(
        ["mes", "tamanho", "linha_id", "chave_composto"], ignore_index=True
    )


def _leave_out_even(joined: pd.DataFrame, both: pd.DataFrame) -> pd.DataFrame:
    """Leave out the changes of one título, or of one document of a person, that come to nothing in a month.

    Who books the rest of a part payment as an entry of its own changes no month.
    """
    named = both.drop_duplicates(KEY)
    sides = {
        name: named[f"{name}_b"].where(named["em_b"], named[f"{name}_a"])
        for name in ("titulo_id", "pessoa_id", "documento", "descricao")
    }
    texts = zip(sides["documento"], sides["descricao"], sides["titulo_id"], strict=True)
    named = named[KEY].assign(
        titulo=sides["titulo_id"], pessoa=sides["pessoa_id"], papel=[name_document(*told) for told in texts]
    )
    kept = joined.merge(named, on=KEY, how="left", validate="m:1")
    for keys in (["titulo"], ["pessoa", "papel"]):
        kept = kept[kept.groupby(["mes", *keys], dropna=False)["diferenca"].transform("sum") != 0]
    return kept.drop(columns=["titulo", "pessoa", "papel"])


def name_document(documento: str, descricao: str, titulo_id: int) -> str:
    """Name the paper that an entry is of: its number, else its words without what stands in brackets.

    >>> name_document("", "NF 3287 (saldo)", 7), name_document("NF-3287", "Venda", 8), name_document("", "Frete", 9)
    ('3287', '3287', 'frete')
    """
    text = documento.strip() or descricao
    number = re.search(r"\d{3,}", text)
    return number[0] if number else fold_words(re.sub(r"\(.*?\)", "", text)) or str(titulo_id)
