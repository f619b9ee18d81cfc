"""Qualidade dos dados (R15: Q01 to Q21), the checks on data, and the razão (R16)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from typing import Any

from .charge_reports import charge_checks
from .context import CLASSES, Context, mistyped, open_titulos
from .days import add_days, add_months, first_day, last_day, month_of, shift_month
from .dimensions import category_path, mapped_group
from .flow import balance
from .openings import MONTHS, in_transit
from .recurrence import endless_series, list_series
from .values import fold, total

Record = dict[str, Any]


def r15(ctx: Context) -> dict[str, set[Any]]:
    """Findings: rule -> keys.

    Keys are titulo_id for Q03, Q04, Q07, Q13, Q16; linha_id for Q01, Q02, Q05, Q06, Q08, Q09, Q10, Q14, Q15;
    conta_id for Q11; series key for Q12 (grupo_id, or ("titulo", id)); pessoa_id for Q17; grupo_id for Q18; row id
    for Q19; categoria_id for Q20 and Q21; titulo_id for Q44 too, asked of settings that leave it to the data. Transfers
    are only in Q08, Q09, Q10, Q15.
    """
    linhas = [linha for linha in ctx.linhas if not linha["transferencia"]]
    titulos = [titulo for titulo in ctx.titulos.values() if not titulo["transferencia"]]
    pending = open_titulos(ctx)
    return {
        "Q01": {x["linha_id"] for x in linhas if x["categoria_id"] is None},
        "Q02": {x["linha_id"] for x in linhas if not x["pago"] and _is_inactive(ctx, x["categoria_id"])},
        "Q03": {t["titulo_id"] for t in titulos if t["pessoa_id"] is None},
        "Q04": {t["titulo_id"] for t in titulos if t["tipo"] == "Z"},
        "Q05": {x["linha_id"] for x in linhas if x["competencia_presumida"]},
        "Q06": {
            x["linha_id"]
            for x in linhas
            if x["data_competencia"] is not None and abs((x["data_competencia"] - x["data_vencimento"]).days) > 60
        },
        "Q07": _not_settled(ctx, titulos),
        "Q08": {
            x["linha_id"]
            for x in ctx.linhas
            if x["transferencia"] and not x["pago"] and x["data_prevista"] < ctx.data_base
        },
        "Q09": broken_pairs(ctx),
        "Q10": {x["linha_id"] for x in ctx.linhas if x["pago"] and not x["caixa"]},
        "Q11": {key for key, account in ctx.contas.items() if not account["saldo_informado"]},
        "Q12": _not_generated(ctx),
        "Q13": _possible_duplicates(titulos),
        "Q14": {x["linha_id"] for x in linhas if _sign_disagrees(ctx, x)},
        "Q15": {
            x["linha_id"]
            for x in ctx.linhas
            if x["data_pagamento"] is not None and x["data_pagamento"] > ctx.data_extracao
        },
        "Q16": {t["titulo_id"] for t in pending if t["vencido"] and t["dias"] > 180},
        "Q17": {
            t["pessoa_id"]
            for t in pending
            if t["pessoa_id"] in ctx.pessoas and not ctx.pessoas[t["pessoa_id"]]["documento"]
        },
        "Q18": _missing_instalments(ctx),
        "Q19": opening_suspects(ctx),
        "Q20": _without_group(ctx, linhas),
        "Q21": _like_no_result(ctx, linhas),
        "Q33": _forgotten(ctx, titulos),
        "Q43": {t["titulo_id"] for t in pending if mistyped(ctx, t)} | _booked_long_before(linhas, titulos),
        "Q34": _unnamed(ctx),
        "Q44": _read_by_guess(ctx),
    }


def _read_by_guess(ctx: Context) -> set[Any]:
    if ctx.params["composto_valor_pai"] != "auto":
        return set()
    return {x["titulo_id"] for x in ctx.linhas if x["origem"] == "item" or x["linha_id"] != x["titulo_id"]}


def _booked_long_before(linhas: Iterable[Record], titulos: Iterable[Record]) -> set[Any]:
    """Q43 of what is paid, of no group: a linha of it is due over 730 days after its competence."""
    long_before = {
        x["titulo_id"]
        for x in linhas
        if x["data_competencia"] is not None and (x["data_vencimento"] - x["data_competencia"]).days > 730
    }
    return {
        t["titulo_id"]
        for t in titulos
        if t["titulo_id"] in long_before and t["pago"] and t["valor"] != 0 and t["grupo_id"] is None
    }


def _not_generated(ctx: Context) -> set[Any]:
    """Q12: endless series whose last due date is before the horizon end, unknown codes too (S10)."""
    end = q12_horizon(ctx)
    return {key for key, titulos in endless_series(ctx).items() if titulos[-1]["data_vencimento"] < end}


def q12_horizon(ctx: Context) -> Any:
    """Return the end of the longest horizon: the last day of the sixth month after D's (section 0)."""
    return max(
        last_day(shift_month(ctx.mes, ctx.params["horizonte_meses"])),
        add_days(ctx.data_base, ctx.params["horizonte_dias"] - 1),
    )


def _is_inactive(ctx: Context, categoria_id: int | None) -> bool:
    return categoria_id in ctx.categorias and not ctx.categorias[categoria_id]["ativo"]


def _not_settled(ctx: Context, titulos: list[Record]) -> set[int]:
    """Q07: automatic, open and due before D; only told when D is the extraction day (S10)."""
    if ctx.retroativo:
        return set()
    return {
        t["titulo_id"]
        for t in titulos
        if t["pagamento_automatico"] and not t["pago"] and t["data_vencimento"] < ctx.data_base
    }


def broken_pairs(ctx: Context) -> set[int]:
    """V16 / Q09: legs whose pair is absent, does not point back, or differs in value or payment date (S6)."""
    legs = {linha["linha_id"]: linha for linha in ctx.linhas if linha["origem"] == "lancamento"}
    broken = set()
    for linha in ctx.linhas:
        if not linha["transferencia"]:
            continue
        pair = legs.get(linha["lancamento_transferencia_id"])
        if (
            pair is None
            or pair["lancamento_transferencia_id"] != linha["linha_id"]
            or pair["valor"] != -linha["valor"]
            or pair["data_pagamento"] != linha["data_pagamento"]
        ):
            broken.add(linha["linha_id"])
    return broken


def _possible_duplicates(titulos: list[Record]) -> set[int]:
    """Q13: same known person, value and due date, not of one and the same repetition group; zero values left out."""
    groups: dict[Any, list[Record]] = defaultdict(list)
    for titulo in titulos:
        if titulo["pessoa_id"] is not None and titulo["tipo"] != "Z":
            groups[(titulo["pessoa_id"], titulo["valor"], titulo["data_vencimento"])].append(titulo)
    found = set()
    for members in groups.values():
        for one in members:
            others = [other for other in members if other is not one]
            if any(one["grupo_id"] is None or other["grupo_id"] != one["grupo_id"] for other in others):
                found.add(one["titulo_id"])
    return found


def _sign_disagrees(ctx: Context, linha: Record) -> bool:
    categoria = ctx.categorias.get(linha["categoria_id"])
    tipo = categoria["tipo_categoria_id"] if categoria else None
    return (tipo == 2 and linha["valor"] < 0) or (tipo == 1 and linha["valor"] > 0)


def _missing_instalments(ctx: Context) -> set[int]:
    """Q18: groups with a known total some of whose numbers 1..total are absent."""
    found = set()
    for key, titulos in list_series(ctx).items():
        sizes = [t["total_repeticoes"] for t in titulos if t["total_repeticoes"]]
        if isinstance(key, tuple) or not sizes:
            continue
        present = {t["numero_repeticao"] for t in titulos}
        if not set(range(1, max(sizes) + 1)) <= present:
            found.add(key)
    return found


def opening_suspects(ctx: Context) -> set[int]:
    """Q19: rows not configured as opening balance that look like one (S7)."""
    suspects = set()
    for linha in ctx.linhas:
        if linha["origem"] != "lancamento":
            continue
        account = ctx.contas[linha["conta_id"]]
        same = (
            account["saldo_informado"]
            and account["data_saldo_inicial"] is not None
            and linha["valor"] == account["valor_saldo_inicial"]
            and linha["data_pagamento"] == account["data_saldo_inicial"]
        )
        if same or "saldo inicial" in fold(linha["descricao"]):
            suspects.add(linha["linha_id"])
    return suspects


def _without_group(ctx: Context, linhas: list[Record]) -> set[int]:
    """Q20: categories with amounts that neither they nor an ancestor are in the map, empty or not (R06, section 7)."""
    mapping = ctx.params["dre_mapa"]
    return {
        x["categoria_id"]
        for x in linhas
        if x["valor"] != 0
        and x["categoria_id"] is not None
        and mapped_group(ctx.categorias, mapping, x["categoria_id"]) is None
    }


def _forgotten(ctx: Context, titulos: list[Record]) -> set[int]:
    """Q33: open more than 30 days past due while a later one of its series is paid (section 7, S26.4)."""
    late = [t for t in titulos if t["tipo"] != "Z" and not t["pago"] and t["vencido"]]
    return {t["titulo_id"] for t in late if t["dias"] > 30 and _is_asked(ctx, t, titulos, late)}


def _is_asked(ctx: Context, t: Record, titulos: list[Record], late: list[Record]) -> bool:
    def is_kin(o: Record) -> bool:
        if t["grupo_id"] is not None or o["tipo"] == "Z":
            return bool(o["tipo"] != "Z" and o["grupo_id"] == t["grupo_id"] is not None)
        key = ("tipo", "grupo_id", "pessoa_id", "categoria_id")
        return [o[name] for name in key] == [t[name] for name in key]

    kin = [o for o in titulos if is_kin(o)]
    if not any(o["pago"] and o["data_vencimento"] > t["data_vencimento"] for o in kin):
        return False
    if t["tipo"] == "R":
        return t["grupo_id"] is not None
    if t["grupo_id"] is None:
        months = {shift_month(ctx.mes, -back) for back in range(6)}
        past = {month_of(o["data_vencimento"]) for o in kin if o["data_vencimento"] <= ctx.data_base}
        if t["categoria_id"] is None or len(past & months) < 3:
            return False
    open_months = {month_of(o["data_vencimento"]) for o in late if o in kin and o["tipo"] == "P"}
    owed = [o for o in late if o["tipo"] == "P" and o["pessoa_id"] == t["pessoa_id"] is not None]
    return len(open_months) == 1 and len(owed) <= 1 and not _is_tax(ctx, t)


def _is_tax(ctx: Context, titulo: Record) -> bool:
    """R21: a category that is mapped to `ir_csll`, or whose name has the word of a tax."""
    mapping, words = ctx.params["dre_mapa"], {"icms", "iss", "pis", "cofins", "inss", "fgts", "irpj", "csll", "das"}
    for linha in ctx.linhas:
        category = linha["categoria_id"]
        if linha["titulo_id"] == titulo["titulo_id"] and category in ctx.categorias:
            name = re.split("[^a-z]+", (ctx.categorias[category]["descricao"] or "").lower())
            if mapped_group(ctx.categorias, mapping, category) == "ir_csll" or words & {*name}:
                return True
    return False


def _unnamed(ctx: Context) -> set[int]:
    """Q34: ids of forms, centres, tags and document types in use without a configured name."""
    seen = {("formas", x["forma_pagamento_id"]) for x in (*ctx.linhas, *ctx.cobrancas.values())}
    seen |= {("centros", x["centro_custo_lucro_id"]) for x in ctx.linhas}
    seen |= {("tags", tag) for x in ctx.linhas for tag in x["tags"]}
    seen |= {("tipos_documento", x["tipo_documento_id"]) for x in ctx.linhas}
    return {key for setting, key in seen if key is not None and key not in ctx.params[setting]}


LIKE_NO_RESULT = ("Empréstimos",)
"""Names of the random companies that sound like no result (S17)."""


def _like_no_result(ctx: Context, linhas: list[Record]) -> set[int]:
    """Q21: used known categories without a line of the map, not fora, that are mixed or sound like no result.

    Looked at are 12 closed months and D's to D.
    """
    first = first_day(shift_month(ctx.mes, -12))
    found = set()
    for x in linhas:
        categoria, day = ctx.categorias.get(x["categoria_id"]), x["data_competencia_ef"]
        if categoria is None or x["fora_resultado"] or x["valor"] == 0 or day is None:
            continue
        if x["categoria_id"] in ctx.params["dre_mapa"]:
            continue
        if first <= day <= ctx.data_base and (
            categoria["tipo_categoria_id"] not in (1, 2) or categoria["descricao"] in LIKE_NO_RESULT
        ):
            found.add(x["categoria_id"])
    return found


def automatic_settlements(ctx: Context) -> Decimal:
    """Memo of R15: "baixas automáticas" of D's month, pago(D) with the flag, transfers left out (S10)."""
    first = first_day(ctx.mes)
    return total(
        linha["valor"]
        for linha in ctx.linhas
        if linha["pagamento_automatico"]
        and linha["pago"]
        and not linha["transferencia"]
        and first <= linha["data_pagamento"] <= ctx.data_base
    )


def _at_bank(ctx: Context, conta_id: int, day: date) -> Decimal | None:
    """Return what the bank should show at the end of a day: the balance less what is in transit; None if undefined."""
    booked = balance(ctx, conta_id, day)
    return None if booked is None else booked - in_transit(ctx, conta_id, day)


def data_checks(ctx: Context) -> dict[str, set[Any]]:
    """Checks that need one run only: id -> failing keys (empty = passes).

    V11, V12, V13 charges; V14 {"n0=.., n1=.."} when the evidence disagrees or a difference linha exists; V16 legs; V19
    (conta_id, day) of `saldos_conferidos` that differ; V20 ("categoria" | "pessoa" | "conta", id) not known; V21
    conta_id.
    """
    unknown: set[Any] = set()
    for linha in ctx.linhas:
        if linha["categoria_id"] is not None and linha["categoria_id"] not in ctx.categorias:
            unknown.add(("categoria", linha["categoria_id"]))
        if linha["pessoa_id"] is not None and linha["pessoa_id"] not in ctx.pessoas:
            unknown.add(("pessoa", linha["pessoa_id"]))
        if linha["conta_id"] is not None and not ctx.contas[linha["conta_id"]]["configurada"]:
            unknown.add(("conta", linha["conta_id"]))
    evidence: set[Any] = set()
    if ctx.modo["v14"] != "ok" or any(linha["origem"] == "diferenca" for linha in ctx.linhas):
        evidence.add(f"n0={ctx.modo['n0']}, n1={ctx.modo['n1']}")
    checked: set[Any] = {
        (account["conta_id"], check["data"])
        for account in ctx.contas.values()
        for check in account["saldos_conferidos"]
        if add_months(ctx.data_base, -MONTHS) <= check["data"] <= ctx.data_base
        and _at_bank(ctx, account["conta_id"], check["data"]) != check["valor"]
    }
    return {
        **{name: set(failing) for name, failing in charge_checks(ctx).items()},
        "V14": evidence,
        "V16": set(broken_pairs(ctx)),
        "V19": checked,
        "V20": unknown,
        "V21": {finding["conta_id"] for finding in ctx.v21},
    }


def r16(ctx: Context) -> list[Record]:
    """Razão: one dict per linha, sorted by class (S5's order), category path, date, id.

    Keys: classe, caminho, origem, linha_id, titulo_id, conta_id, categoria_id, pessoa_id, valor, data_prevista (None if
    paid), data (payment if paid, else data_prevista), data_caixa (payment if caixa, else None), data_competencia,
    situacao ("Pago", "Fora do controle", or the título's; "Em aberto" for transfers and zero values).
    """
    rows = []
    for linha in ctx.linhas:
        titulo = ctx.titulos[linha["titulo_id"]]
        if linha["pago"]:
            situacao = "Pago" if linha["caixa"] else "Fora do controle"
        else:
            situacao = titulo["situacao"] or "Em aberto"
        rows.append(
            {
                "classe": linha["classe"],
                "caminho": category_path(ctx.categorias, linha["categoria_id"]),
                **{key: linha[key] for key in ("origem", "linha_id", "titulo_id", "conta_id", "categoria_id",
                                               "pessoa_id", "valor", "data_prevista")},
                "data": linha["data_pagamento"] if linha["pago"] else linha["data_prevista"],
                "data_caixa": linha["data_pagamento"] if linha["caixa"] else None,
                "data_competencia": linha["data_competencia_ef"],
                "situacao": situacao,
            }
        )  # fmt: skip
    return sorted(
        rows,
        key=lambda row: (
            CLASSES.index(row["classe"]),
            fold(row["caminho"]),
            row["data"],
            row["linha_id"],
        ),
    )
