"""Linhas and títulos from the rows of the list (S1, S2), opening-balance entries taken out (S7)."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from .parameters import unknown_account
from .values import parse_day, parse_money, parse_reference, total

Record = dict[str, Any]

# S2.3: always inherited by a nested-only item / only when the key is absent in the item / never inherited
_HERDA_SEMPRE = (
    "conta_id",
    "data_vencimento",
    "data_pagamento",
    "data_competencia",
    "grupo_id",
    "numero_repeticao",
    "total_repeticoes",
    "periodicidade",
    "documento",
    "pagamento_automatico",
    "pedido_id",
    "modified",
)
_HERDA_SE_AUSENTE = (
    "centro_custo_lucro_id",
    "pessoa_id",
    "forma_pagamento_id",
    "tipo_documento_id",
    "tipo_custo_nivel_producao_id",
    "tipo_custo_apropriacao_produto_id",
)
_REFERENCIAS = (
    "grupo_id",
    "lancamento_transferencia_id",
    "categoria_id",
    "conta_id",
    "pedido_id",
    *_HERDA_SE_AUSENTE,
)
_DATAS = ("data_vencimento", "data_pagamento", "data_competencia")

DIFERENCA = "Diferença de composto"


def dedupe_rows(rows: list[Record]) -> list[Record]:
    """Keep, per id, the row fetched last (S1)."""
    last: dict[int, Record] = {}
    for row in rows:
        last.pop(int(row["id"]), None)
        last[int(row["id"])] = row
    return [last[row_id] for row_id in sorted(last)]


def _tag_ids(record: Record) -> list[int]:
    ids = (parse_reference(tag.get("id")) for tag in record.get("tags") or [])
    return sorted({tag_id for tag_id in ids if tag_id is not None})


def _component(source: Record, origem: str, composto: int | None) -> Record:
    """Type one row or one completed item."""
    component: Record = {
        "origem": origem,
        "linha_id": int(source["id"]),
        "composto": composto,
        "lancamento_composto_id": parse_reference(source.get("lancamento_composto_id")),
        "valor": parse_money(source["valor"]),
        "descricao": source.get("descricao") or "",
        "documento": source.get("documento") or "",
        "observacao": source.get("observacao") or "",
        "pagamento_automatico": bool(source.get("pagamento_automatico")),
        "numero_repeticao": source.get("numero_repeticao"),
        "total_repeticoes": source.get("total_repeticoes"),
        "periodicidade": source.get("periodicidade") or None,
        "modified": source.get("modified"),
        "tags": _tag_ids(source),
        "tem_itens": origem == "lancamento" and bool(source.get("itens_adicionais")),
    }
    for key in _REFERENCIAS:
        component[key] = parse_reference(source.get(key))
    for key in _DATAS:
        component[key] = parse_day(source.get(key))
    return component


def _complete_item(item: Record, row: Record) -> Record:
    """Give a nested-only item what it inherits from the row that carries it (S2.3)."""
    complete = {key: value for key, value in item.items() if key != "itens_adicionais"}
    complete["lancamento_transferencia_id"] = None
    for key in _HERDA_SEMPRE:
        complete[key] = row.get(key)
    for key in _HERDA_SE_AUSENTE:
        if key not in item:
            complete[key] = row.get(key)
    return complete


def group_key(row: Record) -> int | None:
    """Return the composite group `c` of a row, None for a simple entry (S2.1)."""
    own = parse_reference(row.get("lancamento_composto_id"))
    items = row.get("itens_adicionais") or []
    if own is not None:
        return own
    if not items:
        return None
    for item in items:
        of_item = parse_reference(item.get("lancamento_composto_id"))
        if of_item is not None:
            return of_item
    return -int(row["id"])


def list_components(rows: list[Record]) -> list[Record]:
    """Return the simple entries and the components of every composite (S2.1 to S2.3).

    An item nested in several rows of its composite is taken from the lowest row id.
    """
    rows = dedupe_rows(rows)
    ids_of_group: dict[int, set[int]] = defaultdict(set)
    for row in rows:
        group = group_key(row)
        if group is not None:
            ids_of_group[group].add(int(row["id"]))
    components = []
    taken: set[tuple[int, int]] = set()
    for row in rows:
        group = group_key(row)
        components.append(_component(row, "lancamento", group))
        for item in row.get("itens_adicionais") or []:
            item_id = int(item["id"])
            if group is None or item_id in ids_of_group[group] or (group, item_id) in taken:
                continue
            taken.add((group, item_id))
            components.append(_component(_complete_item(item, row), "item", group))
    return components


def split_titulos(components: list[Record]) -> list[Record]:
    """Split into títulos (S1, S2.4).

    Returns:
        list of dict(titulo_id, carregador (component), outros (the other components)).
    """
    groups: dict[tuple[Any, ...], list[Record]] = defaultdict(list)
    for component in components:
        if component["composto"] is None:
            key: tuple[Any, ...] = ("simples", component["linha_id"])
        else:
            key = (
                "composto",
                component["composto"],
                component["conta_id"],
                component["data_vencimento"],
                component["data_pagamento"],
            )
        groups[key].append(component)
    titulos = []
    for members in groups.values():
        carrier = min(members, key=lambda c: (not c["tem_itens"], c["linha_id"]))
        titulos.append(
            {
                "titulo_id": carrier["linha_id"],
                "carregador": carrier,
                "outros": [member for member in members if member is not carrier],
            }
        )
    return titulos


def decide_mode(titulos: list[Record], parametro: str) -> Record:
    """Decide whether a parent's value includes its items (S2.5, S2.6).

    Returns:
        dict(modo, n0, n1, v14 ("ok" / "alerta" / "erro": n0 and n1 both positive, up to / above 5%)).
    """
    n0 = n1 = 0
    for titulo in titulos:
        others = titulo["outros"]
        if not others:
            continue
        if titulo["carregador"]["valor"] == total(o["valor"] for o in others):
            n1 += len(others) >= 2
        else:
            n0 += 1
    modo = parametro
    if parametro == "auto":
        modo = "total" if n1 > 0 and n0 == 0 else "parcela"
    v14 = "ok"
    if n0 and n1:
        v14 = "alerta" if 100 * n1 <= 5 * (n0 + n1) else "erro"
    return {"modo": modo, "n0": n0, "n1": n1, "v14": v14}


def list_linhas(titulos: list[Record], modo: str) -> list[Record]:
    """Return the linhas, each with its `titulo_id` (S2.7).

    In mode `total` a título with a single component keeps it as its linha: it has no items its value could include.
    A missing difference becomes a linha of origem `diferenca` with the carrier's id, references and dates, no tags.
    """
    linhas = []
    for titulo in titulos:
        carrier, others = titulo["carregador"], titulo["outros"]
        parts = [carrier, *others]
        if modo == "total" and others:
            parts = list(others)
            difference = carrier["valor"] - total(o["valor"] for o in others)
            if difference != 0:
                parts.append(
                    {**carrier, "origem": "diferenca", "valor": difference, "descricao": DIFERENCA, "tags": []}
                )
        linhas += [{**part, "titulo_id": titulo["titulo_id"]} for part in parts]
    return linhas


def take_out_opening_entries(
    components: list[Record], accounts: dict[int, Record], ids: set[int], categorias: set[int]
) -> tuple[list[Record], list[Record]]:
    """Take the opening-balance entries out and give their date and value to the account (S7).

    Returns:
        `(components that stay, V21 findings)`; a finding is dict(conta_id, lancamento_id, motivo) where motivo is
        "valor configurado difere" or "mais de um".
    """
    stay, findings = [], []
    for component in sorted(components, key=lambda c: c["linha_id"]):
        chosen = component["origem"] == "lancamento" and (
            component["linha_id"] in ids or component["categoria_id"] in categorias
        )
        if not chosen:
            stay.append(component)
            continue
        conta_id, paid = component["conta_id"], component["data_pagamento"]
        if conta_id is None or paid is None:
            continue
        account = accounts.get(conta_id)
        if account is None:
            account = accounts[conta_id] = {**unknown_account(conta_id), "saldo_informado": True}
        elif account["abertura_de"] is not None:
            findings.append({"conta_id": conta_id, "lancamento_id": component["linha_id"], "motivo": "mais de um"})
            continue
        elif account["saldo_informado"] and account["valor_saldo_inicial"] != component["valor"]:
            findings.append(
                {"conta_id": conta_id, "lancamento_id": component["linha_id"], "motivo": "valor configurado difere"}
            )
        account["data_saldo_inicial"] = paid
        account["valor_saldo_inicial"] = component["valor"]
        account["saldo_informado"] = True
        account["abertura_de"] = component["linha_id"]
    return stay, findings
