"""What each record looks like in an answer: every documented field, and the two dialects.

Decimals are texts, unset values null, dates ISO text. The dialect ``observado`` adds what services of this kind were
seen to answer: 0 instead of null in links, further fields, amounts with one decimal.
"""

from __future__ import annotations

import base64
from typing import Any, Final

from lastro_sandbox.decisions import CHARGE_STATUS
from lastro_sandbox.ledger import Books
from lastro_sandbox.model import (
    Account,
    Attachment,
    Category,
    Charge,
    Classification,
    Entry,
    Named,
    Person,
    format_money,
)
from lastro_sandbox.operations import Service

_ZERO_LINKS: Final = (
    "centro_custo_lucro_id",
    "forma_pagamento_id",
    "pessoa_id",
    "tipo_documento_id",
    "tipo_custo_nivel_producao_id",
    "tipo_custo_apropriacao_produto_id",
    "pedido_id",
)

_STATUS: Final = {
    (True, True): "A pagar",
    (True, False): "Pago",
    (False, True): "A receber",
    (False, False): "Recebido",
}
"""Expense or not, open or not -> the text of ``status``."""

STATES: Final[dict[int, tuple[str, str]]] = {
    13: ("MG", "Minas Gerais"),
    16: ("PR", "Paraná"),
    19: ("RJ", "Rio de Janeiro"),
    23: ("RS", "Rio Grande do Sul"),
    24: ("SC", "Santa Catarina"),
    26: ("SP", "São Paulo"),
}
CITIES: Final[dict[int, tuple[str, int]]] = {
    5270: ("São Paulo", 26),
    4850: ("Campinas", 26),
    3658: ("Rio de Janeiro", 19),
    1630: ("Belo Horizonte", 13),
    2878: ("Curitiba", 16),
    4174: ("Porto Alegre", 23),
    4500: ("Florianópolis", 24),
}


def _ids(values: tuple[int, ...]) -> list[dict[str, int]]:
    return [{"id": value} for value in values]


def _decimal(service: Service, entry_id: int, centavos: int) -> str:
    text = format_money(centavos)
    if service.dialeto == "observado" and text.endswith("0") and entry_id % 3 == 0:
        return text[:-1]
    return text


def render_entry(service: Service, entry: Entry, *, with_type: bool = False) -> dict[str, Any]:
    """Return one entry object (2.1). ``with_type``: as create and update answer it.

    Those two add ``tipo_lancamento_id`` and show the items of a composite in every shape.
    """
    observado = service.dialeto == "observado"
    answer: dict[str, Any] = {
        "id": entry.id,
        "grupo_id": entry.grupo_id,
        "lancamento_transferencia_id": entry.lancamento_transferencia_id,
        "categoria_id": entry.categoria_id,
        "centro_custo_lucro_id": entry.centro_custo_lucro_id,
        "tipo_custo_nivel_producao_id": entry.tipo_custo_nivel_producao_id,
        "tipo_custo_apropriacao_produto_id": entry.tipo_custo_apropriacao_produto_id,
        "conta_id": entry.conta_id,
        "forma_pagamento_id": entry.forma_pagamento_id,
        "pessoa_id": entry.pessoa_id,
        "tipo_documento_id": entry.tipo_documento_id,
        "descricao": entry.descricao,
        "documento": entry.documento,
        "data_vencimento": entry.data_vencimento,
        "data_pagamento": entry.data_pagamento,
        "data_competencia": entry.data_competencia,
        "valor": _decimal(service, entry.id, entry.valor),
        "observacao": entry.observacao,
        "pagamento_automatico": entry.pagamento_automatico,
        "numero_repeticao": entry.numero_repeticao,
        "total_repeticoes": entry.total_repeticoes,
        "periodicidade": entry.periodicidade,
        "pedido_id": entry.pedido_id,
        "lancamento_composto_id": entry.lancamento_composto_id,
        "modified": entry.modified,
        "anexos": _ids(entry.anexos),
        "tags": _ids(entry.tags),
        "itens_adicionais": [
            render_item(service, item)
            for item in (service.books.siblings(entry) if with_type else _nested(service.books, entry))
        ],
    }
    if with_type or observado:
        answer["tipo_lancamento_id"] = 1 if entry.valor < 0 else 2
    if observado:
        for name in _ZERO_LINKS:
            answer[name] = answer[name] or 0
        answer |= {
            "status": _STATUS[entry.valor < 0, entry.data_pagamento is None],
            "infinito": entry.infinito,
            "wgi_usuario_id": 77,
            "nfe_id": 0,
            "cobranca_ativa": _is_charged(service.books, entry),
            "identificador_externo": None,
        }
    return answer


def _is_charged(books: Books, entry: Entry) -> bool:
    """Tell whether a living charge names an entry."""
    charge = books.charge_of(entry.id)
    return charge is not None and charge.data_cancelamento is None


def _nested(books: Books, entry: Entry) -> list[Entry]:
    """Return the members that the shape of composites nests in this entry."""
    shape = books.forma_composto
    if entry.lancamento_composto_id is None or shape == "B":
        return []
    if shape == "D":
        return [member for member in books.members(entry) if member.id != entry.id]
    return [member for member in books.members(entry) if member.item_de == entry.id]


def render_item(service: Service, item: Entry) -> dict[str, Any]:
    """Return one element of ``itens_adicionais``: the documented fields, and the optional ones it set for itself."""
    answer: dict[str, Any] = {
        "id": item.id,
        "descricao": item.descricao,
        "valor": _decimal(service, item.id, item.valor),
        "categoria_id": item.categoria_id,
        "lancamento_composto_id": item.lancamento_composto_id,
        "tags": _ids(item.tags),
    }
    for name in item.proprios:
        answer[name] = getattr(item, name)
    return answer


def render_transfer(service: Service, legs: list[Entry]) -> list[dict[str, Any]]:
    """Return the two linked records of a transfer (2.2), the source leg first."""
    return [
        {
            "id": leg.id,
            "lancamento_transferencia_id": leg.lancamento_transferencia_id,
            "categoria_id": leg.categoria_id,
            "conta_id": leg.conta_id,
            "tipo_lancamento_id": 1 if leg.valor < 0 else 2,
            "descricao": leg.descricao,
            "data_vencimento": leg.data_vencimento,
            "valor": _decimal(service, leg.id, leg.valor),
            "anexos": _ids(leg.anexos),
            "data_pagamento": leg.data_pagamento,
            "data_competencia": leg.data_competencia,
        }
        for leg in legs
    ]


def render_charge(service: Service, charge: Charge) -> dict[str, Any]:
    """Return one charge object (2.4)."""
    status_id, status_text = CHARGE_STATUS[charge.estado]
    observado = service.dialeto == "observado"
    hidden = observado and charge.estado == "agendado"
    answer: dict[str, Any] = {
        "id": charge.id,
        "valor": format_money(charge.valor),
        "valor_taxa": format_money(charge.valor_taxa),
        "percentual_multa": format_money(charge.percentual_multa),
        "cobrar_juros": charge.cobrar_juros,
        "valor_multa_juros": format_money(charge.valor_multa_juros),
        "valor_pago": None if charge.valor_pago is None else format_money(charge.valor_pago),
        "instrucoes_boleto": charge.instrucoes_boleto,
        "permitir_segunda_via": charge.permitir_segunda_via,
        "lancamento_ids": ",".join(str(id_) for id_ in _visible_ids(service.books, charge)),
        "forma_pagamento_id": charge.forma_pagamento_id,
        "cliente_id": charge.cliente_id,
        "conta_id": charge.conta_id,
        "email": charge.email,
        "data_vencimento": charge.data_vencimento,
        "data_a_transferir": charge.data_a_transferir,
        "data_transferindo": charge.data_transferindo,
        "data_transferido": charge.data_transferido,
        "data_cancelamento": charge.data_cancelamento,
        "status_id": status_id,
        "status_descricao": status_text,
        "cobranca_hash": None if hidden else charge.cobranca_hash,
        "link_publico": "" if hidden else f"{service.link_base}/pagar/{charge.cobranca_hash}",
    }
    if observado:
        if charge.percentual_multa % 100 == 0:
            answer["percentual_multa"] = charge.percentual_multa // 100
        answer["cobranca_original_id"] = None
        answer["lancamento_composto_id"] = charge.lancamento_composto_id
    return answer


def _visible_ids(books: Books, charge: Charge) -> list[int]:
    """Return the linked entries without the items that are visible only inside another of them."""
    ids = charge.lancamento_ids
    return [id_ for id_ in ids if id_ not in books.lancamentos or books.is_row(books.lancamentos[id_])]


def render_category(category: Category, children: list[dict[str, Any]]) -> dict[str, Any]:
    """Return one category object (2.5) around its rendered children."""
    return {
        "id": category.id,
        "descricao": category.descricao,
        "cor": category.cor,
        "parent_id": category.parent_id,
        "ativo": category.ativo,
        "categorias_filhas": children,
        "tipo_categoria_id": category.tipo_categoria_id,
    }


def render_person(person: Person) -> dict[str, Any]:
    """Return one person object (2.6)."""
    state = STATES.get(person.estado_id or 0)
    city = CITIES.get(person.cidade_id or 0)
    return {
        "id": person.id,
        "nome": person.nome,
        "nome_fantasia": person.nome_fantasia,
        "documento": person.documento,
        "inscricao_estadual": person.inscricao_estadual,
        "inscricao_municipal": person.inscricao_municipal,
        "telefone": person.telefone,
        "endereco": person.endereco,
        "endereco_numero": person.endereco_numero,
        "endereco_complemento": person.endereco_complemento,
        "bairro": person.bairro,
        "cep": person.cep,
        "cidade_id": person.cidade_id,
        "estado_id": person.estado_id,
        "email": person.email,
        "observacao": person.observacao,
        "fornecedor": person.fornecedor,
        "cliente": person.cliente,
        "banco_id": person.banco_id,
        "agencia": person.agencia,
        "numero_conta": person.numero_conta,
        "ativo": person.ativo,
        "estado": None if state is None else {"id": person.estado_id, "sigla": state[0], "nome": state[1]},
        "cidade": None if city is None else {"id": person.cidade_id, "nome": city[0], "estado_id": city[1]},
        "classificacao_cliente_id": person.classificacao_cliente_id,
        "classificacao_fornecedor_id": person.classificacao_fornecedor_id,
        "anexos": _ids(person.anexos),
    }


def render_classification(classification: Classification) -> dict[str, Any]:
    """Return one classification object (2.7)."""
    return {
        "id": classification.id,
        "nome": classification.nome,
        "tipo_classificacao_id": classification.tipo_classificacao_id,
        "ativo": classification.ativo,
    }


def render_account(account: Account) -> dict[str, Any]:
    """Return one account as its creation answers it: the id and every request field."""
    return {
        "id": account.id,
        "descricao": account.descricao,
        "banco_id": account.banco_id,
        "agencia": account.agencia,
        "numero": account.numero,
        "nome_gerente": account.nome_gerente,
        "telefone_gerente": account.telefone_gerente,
        "permite_lancamento": account.permite_lancamento,
        "data_saldo_inicial": account.data_saldo_inicial,
        "valor_saldo_inicial": format_money(account.valor_saldo_inicial),
        "ativo": account.ativo,
    }


def render_listed_account(service: Service, account: Account) -> dict[str, Any]:
    """Return one account as the account list of the dialect ``observado`` shows it, with its balance today."""
    return {
        "id": account.id,
        "descricao": account.descricao + (" " if account.id % 2 == 0 else ""),  # seen: names that end in a space
        "saldo": format_money(service.books.balance(account)),
        "ativo": account.ativo,
        "permite_lancamento": account.permite_lancamento,
        "banco_id": account.banco_id or 0,
    }


def render_account_detail(service: Service, account: Account) -> dict[str, Any]:
    """Return one account as its own address shows it in ``observado``: with the entry of its opening balance.

    An opening balance that is not listed as an entry is shown as one without an id (0).
    """
    books = service.books
    listed = [books.lancamentos[id_] for id_ in sorted(books.saldos_lancados) if id_ in books.lancamentos]
    opening = next((entry for entry in listed if entry.conta_id == account.id), None)
    if opening is None:
        day = account.data_saldo_inicial or books.hoje
        opening = Entry(0, account.id, None, account.valor_saldo_inicial, "Saldo inicial", day, day, day)
    return render_account(account) | {
        "saldo": format_money(books.balance(account)),
        "lancamentos": [render_entry(service, opening)],
    }


def render_named(record: Named) -> dict[str, Any]:
    """Return one record of the reference lists that only the dialect ``observado`` has."""
    return {"id": record.id, "descricao": record.descricao, "ativo": record.ativo}


def render_attachment(
    attachment: Attachment, *, with_file: bool = False, url: str | None = None, composto_id: int | None = None
) -> dict[str, Any]:
    """Return one attachment object (2.3); ``file`` only when asked for."""
    answer: dict[str, Any] = {
        "id": attachment.id,
        "filename": attachment.filename,
        "content_type": attachment.content_type,
        "size": len(attachment.conteudo),
    }
    if attachment.dono == "lancamento":
        answer |= {"lancamento_id": attachment.dono_id, "lancamento_compost_id": composto_id}
    else:
        answer |= {f"{attachment.dono}_id": attachment.dono_id, "model_id": attachment.dono_id}
    if with_file:
        answer["file"] = base64.b64encode(attachment.conteudo).decode("ascii")
    if url is not None:
        answer["url"] = url
    return answer
