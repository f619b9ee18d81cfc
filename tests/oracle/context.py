"""The state of one company at D: what every report reads (S3, S4, S5, S7, S8)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from . import composites, dimensions
from .charges import read_charges
from .days import BusinessDays, Month, add_days, month_of
from .openings import derive_openings
from .parameters import read_accounts, read_parameters, unknown_account
from .values import ZERO, fold, parse_day, round_money, total

Record = dict[str, Any]

ENTRADAS, SAIDAS = "Entradas", "Saídas"
NAO_OPERACIONAL, TRANSFERENCIAS = "Não operacional", "Transferências"
CLASSES = (ENTRADAS, SAIDAS, NAO_OPERACIONAL, TRANSFERENCIAS)

FAIXAS = ("A vencer", "1-30", "31-60", "61-90", "91-180", ">180")


@dataclass
class Context:
    """One company, one run, one D.

    Attributes:
        linhas: list of dict with the columns of `core.linhas` plus `composto` (c), `tags` (list of ids), `classe`
            (S5), `dre_grupo`, `pago`, `caixa` (pago and inside the control), `data_prevista` (None if paid),
            `vencida` (its título is), `data_projetada` (S4; None if paid, or overdue and not projected).
        titulos: titulo_id -> dict(titulo_id, tipo R/P/Z, valor, bruto, deducoes, qtde_linhas, linhas, conta_id,
            pessoa_id, categoria_id, descricao, grupo_id, numero_repeticao, total_repeticoes, periodicidade,
            pagamento_automatico, data_vencimento, data_pagamento, data_competencia, data_competencia_ef,
            transferencia, fora_resultado, pago, caixa, data_prevista, data_efetiva, data_ref, dias, situacao,
            em_carencia, vencido, faixa, dias_mora, multa, juros, encargos, cobrancas (ids of live charges),
            cobranca_paga).
        contas: conta_id -> account (see `parameters.read_accounts`), every account configured or seen.
        cobrancas: cobranca_id -> charge (see `charges.read_charges`).
        modo: dict(modo, n0, n1, v14) (S2).
        v21: findings of the opening-balance entries (S7).
    """

    data_base: date
    data_extracao: date
    params: Record
    categorias: dict[int, Record]
    pessoas: dict[int, Record]
    contas: dict[int | None, Record]
    linhas: list[Record]
    titulos: dict[int, Record]
    cobrancas: dict[int, Record]
    modo: Record
    v21: list[Record]
    dias_uteis: BusinessDays
    rows: list[Record] = field(default_factory=list)

    @property
    def mes(self) -> Month:
        """D's month."""
        return month_of(self.data_base)

    @property
    def retroativo(self) -> bool:
        """Whether D is before the extraction ("RECONSTITUÍDO", S3)."""
        return self.data_base < self.data_extracao


def build_context(payload: Record, *, data_base: date | None = None, **parametros: Any) -> Context:
    """Read a company's payloads and compute its state at D.

    Args:
        payload: dict(lancamentos, cobrancas, categorias, clientes, fornecedores, contas, parametros, data_base,
            data_extracao) of plain JSON values (dates may be `datetime.date`).
        data_base: another D than the payload's.
        parametros: parameters of section 0 that replace those of the payload.
    """
    given = {**payload.get("parametros", {}), **parametros}
    extraction = parse_day(payload.get("data_extracao"))
    chosen = data_base or parse_day(payload.get("data_base")) or parse_day(given.get("data_base")) or extraction
    if chosen is None:
        message = "neither data_base nor data_extracao given"
        raise ValueError(message)
    params = read_parameters(given)
    accounts: dict[int, Record] = read_accounts(payload.get("contas") or [])
    components = composites.list_components(payload["lancamentos"])
    components, v21 = composites.take_out_opening_entries(
        components, accounts, params["saldo_inicial_lancamentos"], params["saldo_inicial_categorias"]
    )
    split = composites.split_titulos(components)
    modo = composites.decide_mode(split, params["composto_valor_pai"])
    linhas = composites.list_linhas(split, modo["modo"])
    contas: dict[int | None, Record] = {}
    contas.update(accounts.items())
    for linha in linhas:
        contas.setdefault(linha["conta_id"], unknown_account(linha["conta_id"]))
    ctx = Context(
        data_base=chosen,
        data_extracao=extraction or chosen,
        params=params,
        categorias=dimensions.flatten_categories(payload.get("categorias") or []),
        pessoas=dimensions.unite_persons(payload.get("clientes") or [], payload.get("fornecedores") or []),
        contas=contas,
        linhas=linhas,
        titulos={},
        cobrancas={},
        modo=modo,
        v21=v21,
        dias_uteis=BusinessDays(params["feriados_extras"]),
        rows=composites.dedupe_rows(payload["lancamentos"]),
    )
    for linha in ctx.linhas:
        _add_linha_state(ctx, linha)
    ctx.titulos = {titulo["titulo_id"]: _build_titulo(ctx, titulo) for titulo in split}
    component_titulos: dict[int, int] = {}
    for origem in ("item", "lancamento"):  # a row before an item of equal id (S12)
        for titulo in split:
            for component in (titulo["carregador"], *titulo["outros"]):
                if component["origem"] == origem:
                    component_titulos[component["linha_id"]] = titulo["titulo_id"]
    ctx.cobrancas = read_charges(payload.get("cobrancas") or [], component_titulos)
    derive_openings(ctx)
    for titulo in ctx.titulos.values():
        _add_titulo_state(ctx, titulo)
    for linha in ctx.linhas:
        _add_projection(ctx, linha)
    return ctx


def is_cash(account: Record, paid_on: date) -> bool:
    """Tell whether a payment is inside the account's control (S7)."""
    start = account["data_saldo_inicial"]
    if start is None:
        return True
    return bool(paid_on >= start)


def expected_date(ctx: Context, record: Record) -> date | None:
    """Return `data_prevista` of an open linha or título, None if it is paid at D (S3)."""
    paid_on: date | None = record["data_pagamento"]
    if paid_on is not None and paid_on <= ctx.data_base:
        return None
    if paid_on is not None and paid_on > ctx.data_extracao:
        return paid_on
    due: date = record["data_vencimento"]
    return due


def competence(ctx: Context, record: Record) -> date | None:
    """Return `data_competencia`, else by `competencia_nula` (section 0, S4); no payment after D leaks into it (S3)."""
    own: date | None = record["data_competencia"]
    if own is not None or ctx.params["competencia_nula"] == "excluir":
        return own
    due: date = record["data_vencimento"]
    if ctx.params["competencia_nula"] == "vencimento":
        return due
    paid_on: date | None = record["data_pagamento"]
    leaks = paid_on is not None and ctx.data_base < paid_on <= ctx.data_extracao
    return due if paid_on is None or leaks else paid_on


def natureza(ctx: Context, linha: Record) -> str:
    """Return R or D: by the category's kind, the mixed and unknown ones by the sign (S5)."""
    by_sign = "R" if linha["valor"] >= 0 else "D"
    categoria = ctx.categorias.get(linha["categoria_id"])
    tipo = categoria["tipo_categoria_id"] if categoria else None
    return {2: "R", 1: "D"}.get(tipo, by_sign)  # type: ignore[arg-type]


def flow_class(linha: Record) -> str:
    """Return the one flow class of a linha (S5)."""
    if linha["transferencia"]:
        return TRANSFERENCIAS
    if linha["fora_resultado"]:
        return NAO_OPERACIONAL
    return ENTRADAS if linha["natureza"] == "R" else SAIDAS


def aging_bucket(days: int) -> str:
    """Return the faixa of `dias` (S8)."""
    for limit, name in zip((0, 30, 60, 90, 180), FAIXAS, strict=False):
        if days <= limit:
            return name
    return FAIXAS[-1]


def _add_linha_state(ctx: Context, linha: Record) -> None:
    linha["transferencia"] = linha["lancamento_transferencia_id"] is not None
    linha["natureza"] = natureza(ctx, linha)
    linha["dre_grupo"] = dimensions.dre_group(ctx.categorias, ctx.params["dre_mapa"], linha["categoria_id"])
    linha["fora_resultado"] = linha["dre_grupo"] == "fora"
    linha["data_competencia_ef"] = competence(ctx, linha)
    linha["competencia_presumida"] = linha["data_competencia"] is None
    linha["classe"] = flow_class(linha)
    paid_on = linha["data_pagamento"]
    linha["pago"] = paid_on is not None and paid_on <= ctx.data_base
    linha["caixa"] = linha["pago"] and is_cash(ctx.contas[linha["conta_id"]], paid_on)
    linha["data_prevista"] = expected_date(ctx, linha)


def _build_titulo(ctx: Context, split: Record) -> Record:
    """Build a título; pessoa, categoria, competência, descrição and dates are its carrier's (S1)."""
    carrier = split["carregador"]
    linhas = [linha for linha in ctx.linhas if linha["titulo_id"] == split["titulo_id"]]
    valor = total(linha["valor"] for linha in linhas)
    sign = 1 if valor > 0 else -1
    gross = total(linha["valor"] for linha in linhas if linha["valor"] * sign > 0)
    titulo: Record = {
        key: carrier[key]
        for key in (
            "conta_id", "pessoa_id", "categoria_id", "centro_custo_lucro_id", "forma_pagamento_id", "descricao",
            "documento", "grupo_id", "numero_repeticao", "total_repeticoes", "periodicidade", "pagamento_automatico",
            "data_vencimento", "data_pagamento", "data_competencia", "composto", "modified",
        )
    }  # fmt: skip
    titulo.update(
        titulo_id=split["titulo_id"],
        linhas=linhas,
        qtde_linhas=len(linhas),
        valor=valor,
        tipo="R" if valor > 0 else "P" if valor < 0 else "Z",
        bruto=gross,
        deducoes=valor - gross,
        data_competencia_ef=competence(ctx, carrier),
        competencia_presumida=carrier["data_competencia"] is None,
        transferencia=any(linha["transferencia"] for linha in linhas),
        fora_resultado=all(linha["fora_resultado"] for linha in linhas),
        pago=any(linha["pago"] for linha in linhas),
        caixa=any(linha["caixa"] for linha in linhas),
    )
    return titulo


def _add_titulo_state(ctx: Context, titulo: Record) -> None:
    """Add overdue state, aging and charges for delay (S8)."""
    day = ctx.data_base
    charges = [
        charge
        for charge in sorted(ctx.cobrancas.values(), key=lambda c: c["cobranca_id"])
        if charge["viva"] and titulo["titulo_id"] in charge["titulos"]
    ]
    titulo["cobrancas"] = [charge["cobranca_id"] for charge in charges]
    titulo["cobranca_paga"] = any(charge["paga"] for charge in charges)
    expected = expected_date(ctx, titulo)
    titulo["data_prevista"] = expected
    titulo["data_projetada"] = None
    titulo["vencido"] = titulo["em_carencia"] = False
    for key in ("data_efetiva", "data_ref", "dias", "faixa", "situacao", "posicao"):
        titulo[key] = None
    titulo["dias_mora"] = 0
    titulo["multa"] = titulo["juros"] = titulo["encargos"] = ZERO
    if expected is None:
        return
    early = titulo["categoria_id"] in ctx.params["categorias_antecipam"]
    effective = ctx.dias_uteis.adjust(expected, earlier=early)
    titulo["data_efetiva"] = effective
    reference = effective if ctx.params["venc_regra"] == "dia_util" else expected
    titulo["data_ref"] = reference
    titulo["dias"] = (day - reference).days
    if titulo["tipo"] == "Z" or titulo["transferencia"]:
        titulo["data_projetada"] = _projected_date(ctx, titulo)
        return
    titulo["faixa"] = aging_bucket(titulo["dias"])
    titulo["vencido"] = reference < day
    titulo["posicao"] = "Vencido" if reference < day else "Vence hoje" if reference == day else "A vencer"
    titulo["em_carencia"] = expected < day <= effective
    if titulo["data_pagamento"] is not None and titulo["data_pagamento"] > ctx.data_extracao:
        titulo["situacao"] = "Agendado"
    elif titulo["em_carencia"]:
        titulo["situacao"] = "Em carência"
    else:
        titulo["situacao"] = titulo["posicao"]
    titulo["data_projetada"] = _projected_date(ctx, titulo)
    _add_delay_charges(ctx, titulo, charges[0] if charges else None)


def _projected_date(ctx: Context, titulo: Record) -> date | None:
    """Return the date of the projected cash flow (S4).

    None for an overdue título, and for a receivable past due with a payment typed for a day to come (Q43).
    """
    day = ctx.data_base
    put_off = titulo["situacao"] == "Agendado" and titulo["data_vencimento"] < day
    if titulo["vencido"] or (put_off and titulo["valor"] > 0):
        return None
    planned: date = titulo["data_efetiva"]
    return max(planned, day)


def _add_delay_charges(ctx: Context, titulo: Record, charge: Record | None) -> None:
    """Add `dias_mora`, `multa`, `juros` (S8). `charge` is the live charge of the lowest id, receivables only."""
    side = "receber" if titulo["tipo"] == "R" else "pagar"
    fine: Decimal = ctx.params["multa_pct"][side]
    interest: Decimal = ctx.params["juros_pct_mes"][side]
    counted_from = titulo["data_efetiva"]
    if charge is not None and titulo["tipo"] == "R":
        fine = charge["percentual_multa"]
        interest = interest if charge["cobrar_juros"] else Decimal(0)
        counted_from = ctx.dias_uteis.adjust(charge["data_vencimento"])
    days = max(0, (ctx.data_base - counted_from).days)
    amount = abs(titulo["valor"])
    titulo["dias_mora"] = days
    titulo["multa"] = round_money(amount * fine / 100) if days > 0 else ZERO
    titulo["juros"] = round_money(amount * interest * days / 3000)
    titulo["encargos"] = titulo["multa"] + titulo["juros"]


def _add_projection(ctx: Context, linha: Record) -> None:
    titulo = ctx.titulos[linha["titulo_id"]]
    linha["vencida"] = titulo["vencido"]
    linha["data_projetada"] = titulo["data_projetada"]


def open_titulos(ctx: Context, tipo: str | None = None) -> list[Record]:
    """Return the open non-transfer títulos with value <> 0, of one type if given, ascending id (S8)."""
    return [
        titulo
        for titulo_id, titulo in sorted(ctx.titulos.items())
        if not titulo["pago"]
        and not titulo["transferencia"]
        and titulo["tipo"] != "Z"
        and (tipo is None or titulo["tipo"] == tipo)
    ]


def configured_label(labels: dict[int, Any], word: str, key: int | None) -> str:
    """Return a configured label, "Sem <word>" or "<Word> #id" (S11)."""
    if key is None:
        return f"Sem {word}"
    return str(labels[key]) if key in labels else f"{word.capitalize()} #{key}"


def name_key(name: str, record_id: int | None) -> tuple[str, int]:
    """Sort key of names: accent- and case-insensitive, ties by id (S11)."""
    return (fold(name), -1 if record_id is None else record_id)


def window(ctx: Context, days: int) -> tuple[date, date]:
    """Return the first and last day of (D-days, D]."""
    return add_days(ctx.data_base, 1 - days), ctx.data_base


def mistyped(ctx: Context, titulo: Record) -> bool:
    """Q43: due over 30 days before its competence; over 730 days after it or D, if of no group; or paid after today."""
    due, competence = titulo["data_vencimento"], titulo["data_competencia"]
    if competence is not None and (competence - due).days > 30:
        return True
    if titulo["grupo_id"] is None and any(
        (due - day).days > 730 for day in (ctx.data_base, competence) if day is not None
    ):
        return True
    paid = titulo["data_pagamento"]
    return paid is not None and paid > ctx.data_extracao and due < ctx.data_base
