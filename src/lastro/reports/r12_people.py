"""R12 Posição por cliente e fornecedor: open and paid amounts, the ABC curve and mean terms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from lastro.analysis.abc_curve import CUTS, UNRANKED
from lastro.analysis.frames import records_of
from lastro.analysis.ratios import (
    WINDOW_DAYS,
    Term,
    compute_cash_cycle,
    find_cash_days,
    find_effective_delay,
    find_effective_term,
    find_paid_in_window,
    find_pmp,
    find_pmr,
)
from lastro.grid.cells import Kind, Undefined
from lastro.grid.prints import Columns, Print, list_columns
from lastro.grid.sections import Row, Style
from lastro.grid.storage import store_labels
from lastro.grid.tables import Table
from lastro.grid.workbook import Family
from lastro.money import ratio_pct
from lastro.reports.shared.kpis import NO_MAP
from lastro.reports.spec import ReportSpec
from lastro.transform.habits import HABIT_WINDOWS, JANELA_HABITO_DIAS, MIN_TITULOS, OBSERVED, Habits, tell_change

if TYPE_CHECKING:
    from lastro.reports.view import View
    from lastro.transform.position import Position


YEAR_DAYS: Final = 365
AMOUNTS: Final = (
    "a_receber_a_vencer", "a_receber_vencido", "a_pagar_a_vencer", "a_pagar_vencido", "posicao_liquida",
    "recebido_365_dias", "pago_365_dias",
)  # fmt: skip
KINDS: Final = {(True, True): "Ambos", (True, False): "Cliente", (False, True): "Fornecedor"}
"""Whether a person is a customer, and a supplier -> what it is called."""


PUSHED: Final = ("titulos_adiados", "pct_adiados", "adiamentos", "adiamento_medio", "maior_adiamento")
"""Blank without history: nothing was seen, which is not the same as nothing was pushed."""


def list_mean_terms(view: View) -> Columns:
    """List the mean terms of the company, each with what it divides."""
    position = view.position
    pmr, pmp = find_pmr(position), find_pmp(position)
    received, paid = find_paid_in_window(position, "R"), find_paid_in_window(position, "P")
    saldo = view.series.balance(position.data_base, realised_only=True) or 0
    term, delay = (f"valor x (pagamento - {since}) / valor" for since in ("competência", "vencimento"))
    stock, window = "em aberto com competência até a data-base", f"em {WINDOW_DAYS} dias x {WINDOW_DAYS}"
    cash = "saldo na data-base / saídas realizadas em 90 dias x 90"
    no_cycle = _say_why(pmp) or _say_why(pmr)
    terms: tuple[tuple[str, Term | None, str, str], ...] = (
        ("PMR", pmr, f"recebíveis {stock} / receita por competência {window}", "pmr"),
        ("PMP", pmp, f"contas a pagar {stock} / despesa por competência {window}, só fornecedores", "pmp"),
        ("Prazo efetivo de recebimento", find_effective_term(received), term, "prazo_recebimento"),
        ("Atraso médio de recebimento", find_effective_delay(received), delay, "atraso_recebimento"),
        ("Prazo efetivo de pagamento", find_effective_term(paid), term, "prazo_pagamento"),
        ("Atraso médio de pagamento", find_effective_delay(paid), delay, "atraso_pagamento"),
        ("Dias de caixa", find_cash_days(position, saldo), cash, "dias_de_caixa"),
    )
    rows = [(name, *_tell(one), formula, code, _say_why(one)) for name, one, formula, code in terms]
    cycle = compute_cash_cycle(pmr, pmp)
    rows.insert(2, ("Ciclo", cycle, None, None, "PMR - PMP (sem dados de estoque)", "ciclo", no_cycle))
    return list_columns(("indicador", "dias", "numerador", "denominador", "formula", "codigo", "ausente"), rows)


def _tell(term: Term | None) -> tuple[Decimal | None, int | None, int | None]:
    return (None,) * 3 if term is None else (term.dias, term.numerador, term.denominador)


def _say_why(term: Term | None) -> str | None:
    """Say why there are no days: without a map there is no term (S17)."""
    return NO_MAP if term is None else term.ausente or None


def _show_terms(_: View, table: Table) -> Sequence[Row]:
    """Print the terms; what has no meaning says why, and has neither figure."""
    return [Row((name, Undefined(str(why)) if why else days, *rest, why)) for name, days, *rest, why in table.rows]


def list_positions(view: View) -> Columns:
    """List who has any título or linha, |posição líquida| descending, ties by id, "Sem pessoa" last."""
    position, sums = view.position, _sum_people(view.position)
    people = [pessoa_id for (pessoa_id,) in records_of(sums, "pessoa_id")]
    standings = [view.ranking.get(pessoa_id, UNRANKED) for pessoa_id in people]
    flags = records_of(position.pessoas[position.pessoas["conhecida"]], "pessoa_id", "cliente", "fornecedor", "ativo")
    classified = dict(records_of(position.pessoas, "pessoa_id", "classificacao"))
    known = {
        pessoa_id: (KINDS.get((cliente, fornecedor), ""), ativo) for pessoa_id, cliente, fornecedor, ativo in flags
    }
    return {
        "pessoa": store_labels(sums["pessoa_id"], position.rotulos.pessoa),
        "tipo": [known.get(pessoa_id, ("", None))[0] for pessoa_id in people],
        "ativo": [known.get(pessoa_id, ("", None))[1] for pessoa_id in people],
        **{key: sums[key] for key in AMOUNTS},
        "receita_12_meses_fechados": [standing.receita_centavos for standing in standings],
        "pct_acumulado": [standing.acumulado_pct for standing in standings],
        "classe_abc": [standing.classe for standing in standings],
        "prazo_medio": [Term(*pair).dias for pair in records_of(sums, "prazo_dias", "prazo_peso")],
        "atraso_medio": [Term(*pair).dias for pair in records_of(sums, "atraso_dias", "atraso_peso")],
        "ultimo_movimento": sums["ultimo_movimento"],
        "classificacao": [classified.get(pessoa_id) for pessoa_id in people],
        "pessoa_id": sums["pessoa_id"],
    }


def _sum_people(position: Position) -> pd.DataFrame:
    """Add up per person, transfers and zero values left out: centavos, centavos x days and the last payment."""
    linhas = position.linhas
    # A person named only by an item of a composite has revenue of its own but no título.
    named = linhas.loc[~linhas["transferencia"] & (linhas["valor_centavos"] != 0), ["pessoa_id"]].drop_duplicates()
    parts = _part_titulos(position)
    parts = pd.concat([parts, named.assign(**dict.fromkeys(parts.columns[1:-1], 0))])
    how = {name: "max" if name == "ultimo_movimento" else "sum" for name in parts.columns[1:]}
    sums = parts.groupby("pessoa_id", dropna=False, as_index=False).agg(how)
    sums["tamanho"], sums["sem"] = sums["posicao_liquida"].abs(), sums["pessoa_id"].isna()
    return sums.sort_values(["sem", "tamanho", "pessoa_id"], ascending=[True, False, True], ignore_index=True)


def _part_titulos(position: Position) -> pd.DataFrame:
    """Tell of every título what it adds to its person."""
    # Few columns: a company may have hundreds of thousands of títulos.
    titulos = position.titulos[
        ["pessoa_id", "tipo", "transferencia", "fora_resultado", "pago", "caixa", "vencido", "valor_centavos",
         "data_pagamento", "data_vencimento", "data_competencia_ef"]
    ]  # fmt: skip
    titulos = titulos[~titulos["transferencia"] & (titulos["tipo"] != "Z")]
    valor, pago, late, receber = titulos["valor_centavos"], titulos["pago"], titulos["vencido"], titulos["tipo"] == "R"
    paid_on, today = titulos["data_pagamento"].where(pago), pd.Timestamp(position.data_base)
    year = titulos["caixa"] & (paid_on > today - timedelta(days=YEAR_DAYS))
    counted = (paid_on > today - timedelta(days=WINDOW_DAYS)) & ~titulos["fora_resultado"]
    with_term = counted & titulos["data_competencia_ef"].notna()
    term = (paid_on - titulos["data_competencia_ef"]).dt.days.fillna(0).astype("int64")
    delay = (paid_on - titulos["data_vencimento"]).dt.days.fillna(0).astype("int64")
    weight = valor.abs()
    amounts = {
        "a_receber_a_vencer": ~pago & receber & ~late,
        "a_receber_vencido": ~pago & receber & late,
        "a_pagar_a_vencer": ~pago & ~receber & ~late,
        "a_pagar_vencido": ~pago & ~receber & late,
        "posicao_liquida": ~pago,
        "recebido_365_dias": year & receber,
        "pago_365_dias": year & ~receber,
    }
    return pd.DataFrame(
        {
            "pessoa_id": titulos["pessoa_id"],
            **{key: valor.where(own, 0) for key, own in amounts.items()},
            "prazo_dias": (weight * term).where(with_term, 0),
            "prazo_peso": weight.where(with_term, 0),
            "atraso_dias": (weight * delay).where(counted, 0),
            "atraso_peso": weight.where(counted, 0),
            "ultimo_movimento": paid_on,
        }
    )


def list_payers(view: View) -> Columns:
    """List the payers, value paid in the window descending, then id."""
    payers = view.habits.pagadores
    names = store_labels(payers["pessoa_id"], view.position.rotulos.pessoa)
    return {
        "pessoa": names,
        **_describe(payers, view.habits),
        "mudanca_em_dias": payers["mudanca_dias"],
        "como_mudou": [tell_change(days) for (days,) in records_of(payers, "mudanca_dias")],
        "pessoa_id": payers["pessoa_id"],
    }


def list_methods(view: View) -> Columns:
    """List the payment methods, value paid in the window descending, then id."""
    methods = view.habits.formas
    names = store_labels(methods["forma_pagamento_id"], view.position.rotulos.forma)
    return {"forma": names, **_describe(methods, view.habits), "forma_pagamento_id": methods["forma_pagamento_id"]}


def _describe(frame: pd.DataFrame, habits: Habits) -> dict[str, Any]:
    paid, pushed = frame["titulos_pagos"], frame["titulos_adiados"]
    columns = {
        "titulos_pagos": paid,
        "valor_pago": frame["valor_pago_centavos"],
        "pagos_com_atraso": frame["pagos_com_atraso"],
        "pct_com_atraso": list(map(ratio_pct, frame["pagos_com_atraso"].tolist(), paid.tolist())),
        "atraso_medio": [Term(*pair).dias for pair in records_of(frame, "valor_dias", "valor_pago_centavos")],
        "maior_atraso": frame["maior_atraso"].astype("Int64").where(paid > 0),
        "titulos_adiados": pushed,
        "pct_adiados": list(map(ratio_pct, pushed.tolist(), frame["titulos_observados"].tolist())),
        "adiamentos": frame["adiamentos"],
        "adiamento_medio": [Term(*pair).dias for pair in records_of(frame, "dias_adiados", "titulos_adiados")],
        "maior_adiamento": frame["maior_adiamento"],
        "habito_em_dias": frame["habito_dias"],
        "base_do_habito": frame["habito_base"],
        "a_receber": frame["a_receber_centavos"],
    }
    return columns if habits.com_historico else {**columns, **dict.fromkeys(PUSHED, [None] * len(frame))}


def _total_payers(view: View, _: Table) -> Sequence[Row]:
    """Take all payers together: a mean of all is no sum of means."""
    habits, how = view.habits, {name: "max" if name.startswith("maior_") else "sum" for name in OBSERVED}
    whole = habits.pagadores.agg(how).fillna(0).astype("int64").to_frame().T
    whole = whole.assign(habito_dias=pd.array([habits.empresa_dias], dtype="Int64"), habito_base=None)
    blank = {key: [None] for key in ("mudanca_em_dias", "como_mudou", "pessoa_id")}
    (cells,) = PAYERS.table({"pessoa": ["Total"], **_describe(whole, habits), **blank}, view).rows
    return (Row(cells, style=Style.TOTAL),)


def _tell_pushed(view: View) -> Iterable[str]:
    if view.habits.com_historico:
        yield (
            "Adiado: o vencimento ficou mais distante de uma execução para outra; adiamento médio em dias por título "
            "adiado."
        )
    else:
        yield "Adiamentos: disponíveis a partir da segunda execução, que compara vencimentos."


PAYERS: Final = Print(
    "pessoas_habitos",
    "R12: um pagador por linha: atraso, adiamentos e hábito, premissa da projeção por hábitos",
    list_payers,
    headers={"pessoa_id": "Id"},
    widths={"base_do_habito": 18, "como_mudou": 34},
    dense=True,
    shown=("pessoa_id",),
    hidden=("mudanca_em_dias",),
    title="Hábitos de pagamento por pagador",
    below=_total_payers,
    notes=(
        (
            f"Recebíveis que entram no resultado, pagos nos últimos {JANELA_HABITO_DIAS} dias ou em aberto. "
            "Atraso médio: pagamento - vencimento, ponderado pelo valor (antecipado é negativo)."
        ),
        (
            "Hábito: pagamento - primeiro vencimento conhecido, ponderado pelo valor, do que venceu em "
            f"{HABIT_WINDOWS[0]} dias; vencido em aberto conta com os dias até hoje. Com menos de {MIN_TITULOS}, em "
            f"{HABIT_WINDOWS[1]} dias, senão o da forma de pagamento mais usada, senão o da empresa. É a premissa da "
            "coluna «Como os clientes pagam» dos fluxos."
        ),
        _tell_pushed,
    ),
)
METHODS: Final = Print(
    "pessoas_formas",
    "R12: uma forma de pagamento por linha: atraso, adiamentos e hábito dos pagadores",
    list_methods,
    headers={"forma_pagamento_id": "Id"},
    widths={"base_do_habito": 18},
    dense=True,
    shown=("forma_pagamento_id",),
    title="Hábitos de pagamento por forma",
)


TERMS: Final = Print(
    "pessoas_prazos",
    "R12: prazos médios da empresa, com numerador e denominador",
    list_mean_terms,
    keys=("codigo",),
    kinds={"dias": Kind.NUMBER},
    widths={"indicador": 36, "formula": 45},
    hidden=("codigo", "ausente"),
    title="Prazos médios",
    rows=_show_terms,
    notes=(
        f"Sem fora do resultado e sem transferências. Prazos efetivos: títulos pagos nos últimos {WINDOW_DAYS} dias.",
        "PMP: sem pessoal, deduções, financeiro e IR/CSLL, no numerador e no denominador; depende do mapa da DRE.",
        "Nos prazos efetivos o numerador é a soma de valor x dias.",
    ),
)
PEOPLE: Final = Print(
    "pessoas",
    "R12: uma pessoa por linha; as quatro colunas em aberto somam R08 + R09 (V06)",
    list_positions,
    keys=("pessoa_id",),
    about={"tipo": "Cliente, Fornecedor, Ambos, ou vazio"},
    headers={"pessoa_id": "Id"},
    widths={"tipo": 18, "ativo": 8, "classe_abc": 8},
    dense=True,
    hidden=("classificacao",),
    shown=("pessoa_id",),
    title="Clientes e fornecedores",
    detail=True,
    notes=(
        "Recebido e pago: títulos movimentados no caixa nos últimos 365 dias. Receita: competência, 12 meses fechados.",
        "Classe A até {} % da receita acumulada antes da pessoa, B até {} %, C o resto.".format(*CUTS),
    ),
)
SPEC: Final = ReportSpec(
    code="R12",
    name="pessoas",
    title="Posição por cliente e fornecedor",
    question="Quanto temos com cada um, quem pesa mais e em que prazo se paga?",
    family=Family.OPEN,
    tables=(PEOPLE, TERMS, METHODS, PAYERS),
    sections=(TERMS, METHODS, PAYERS, PEOPLE),
)
