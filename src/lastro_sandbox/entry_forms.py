"""Reads what a request says of an entry: its fields, its items, how it repeats. Nothing is changed here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from lastro_sandbox.decisions import BOOKED_MAX, ITEMS_MAX, NOTE_MAX, PERIOD_DEFAULT, REPETITIONS_MAX, TEXT_MAX
from lastro_sandbox.forms import Node
from lastro_sandbox.ledger import Books
from lastro_sandbox.model import ITEM_OPTIONAL_FIELDS, Entry
from lastro_sandbox.operations import Call, Service
from lastro_sandbox.params import REQUIRED, Params
from lastro_sandbox.repeats import count_to_horizon, known_periods

ENTRY_LINKS: Final = (
    "centro_custo_lucro_id",
    "forma_pagamento_id",
    "tipo_documento_id",
    "tipo_custo_nivel_producao_id",
    "tipo_custo_apropriacao_produto_id",
)
ENTRY_REQUIRED: Final = ("descricao", "conta_id", "categoria_id", "valor", "data_vencimento")


@dataclass(slots=True)
class ItemSpec:
    """One element of ``itens_adicionais`` as sent: the id on edit, the fields, and which optional ones it names."""

    id: int | None
    fields: dict[str, Any]
    own: tuple[str, ...]


@dataclass(slots=True)
class Repetition:
    """How an entry repeats: ``total`` None for an endless series."""

    period: str
    total: int | None


def check_category(service: Service, params: Params, name: str, category_id: int | None) -> None:
    """Note a mistake when a category does not exist or is inactive; in ``observado`` only leaves take entries."""
    if category_id is None:
        return
    books = service.books
    category = books.categorias.get(category_id)
    if category is None:
        params.fail(name, "não existe")
    elif service.dialeto == "observado" and any(one.parent_id == category_id for one in books.categorias.values()):
        params.fail(name, "tem categorias filhas e não recebe lançamentos")
    elif not category.ativo:
        params.fail(name, "está inativa e não pode ser usada em lançamentos")


def check_account(service: Service, params: Params, name: str, account_id: int | None) -> None:
    """Note a mistake when an account does not exist, or takes no entries."""
    if account_id is None:
        return
    account = service.books.contas.get(account_id)
    if account is None:
        params.fail(name, "não existe")
    elif not account.permite_lancamento:
        params.fail(name, "não permite lançamentos, apenas transferências")


def check_person(service: Service, params: Params, name: str, person_id: int | None) -> None:
    """Note a mistake when a person does not exist or is inactive."""
    if person_id is None:
        return
    person = service.books.pessoas.get(person_id)
    if person is None:
        params.fail(name, "não existe")
    elif not person.ativo:
        params.fail(name, "está inativo(a) e não pode ser usado(a) em lançamentos")


def read_ids(params: Params, node: Node | None, name: str) -> tuple[int, ...]:
    """Read ``name[][id]`` (or ``name[]``): positive ids in order, each once."""
    found: list[int] = []
    for element in () if node is None else node.items():
        inner = element.fields.get("id")
        text = (element.text if inner is None else inner.text) or ""
        text = text.strip()
        if not text:
            continue
        if not (text.isascii() and text.isdigit() and len(text) < 16 and int(text) > 0):
            params.fail(f"{name}[][id]", "deve ser um número inteiro positivo")
        elif int(text) not in found:
            found.append(int(text))
    return tuple(found)


def read_fields(service: Service, call: Call, *, current: Entry | None) -> dict[str, Any]:
    """Read the fields of an entry. Creating (``current`` None): all, with defaults; editing: those that were sent."""
    params = call.params
    creating = current is None
    wanted = [name for name in ENTRY_REQUIRED if creating or params.has(name)]
    params.require(*wanted)
    values: dict[str, Any] = {
        "descricao": params.text("descricao", maximum=TEXT_MAX),
        "conta_id": params.integer("conta_id"),
        "categoria_id": params.integer("categoria_id"),
        "valor": params.centavos("valor"),
        "data_vencimento": params.date("data_vencimento"),
        "data_pagamento": params.date("data_pagamento"),
        "data_competencia": params.date("data_competencia"),
        "pessoa_id": params.link("pessoa_id"),
        "documento": params.text("documento", maximum=TEXT_MAX) or "",
        "observacao": params.text("observacao", maximum=NOTE_MAX) or "",
        "pagamento_automatico": params.boolean("pagamento_automatico") or False,
    }
    for name in ENTRY_LINKS:
        values[name] = params.link(name)
    fields = {name: value for name, value in values.items() if creating or params.has(name)}
    for name in ENTRY_REQUIRED:
        if name in fields and fields[name] is None and name not in params.errors:
            params.fail(name, REQUIRED)
    # what an entry already points at may have become inactive since: only a new reference is checked
    if current is None or fields.get("conta_id") != current.conta_id:
        check_account(service, params, "conta_id", fields.get("conta_id"))
    if current is None or fields.get("categoria_id") != current.categoria_id:
        check_category(service, params, "categoria_id", fields.get("categoria_id"))
    if current is None or fields.get("pessoa_id") != current.pessoa_id:
        check_person(service, params, "pessoa_id", fields.get("pessoa_id"))
    if creating and service.dialeto == "observado":  # seen: it comes back filled
        fields["data_competencia"] = fields["data_competencia"] or fields["data_vencimento"]
    tags = call.form.child("tags")
    if tags is not None:
        fields["tags"] = read_ids(params, tags, "tags")
    return fields


def read_items(service: Service, call: Call, *, siblings: dict[int, Entry] | None) -> list[ItemSpec]:
    """Read ``itens_adicionais`` in order. ``siblings`` (on edit) are the present items by id."""
    node = call.form.child("itens_adicionais")
    strict = service.dialeto == "documento"
    specs = []
    elements = [] if node is None else node.items()
    if len(elements) > ITEMS_MAX:
        call.params.fail("itens_adicionais", f"deve ter no máximo {ITEMS_MAX} itens")
        elements = []
    for number, element in enumerate(elements):
        params = Params(element.flat(), prefix=f"itens_adicionais[{number}].", errors=call.params.errors)
        id_ = params.integer("id", minimum=1)
        present = None if siblings is None or id_ is None else siblings.get(id_)
        if siblings is not None:
            if strict:  # seen: an item without id is a new one
                params.require("id")
            if id_ is not None and present is None:
                params.fail("id", "não é um item deste lançamento composto")
        if strict or present is None:  # seen: programs that pay a composite name its items by id alone
            params.require("descricao", "categoria_id", "valor")
        fields: dict[str, Any] = {
            "descricao": params.text("descricao", maximum=TEXT_MAX),
            "categoria_id": params.integer("categoria_id"),
            "valor": params.centavos("valor"),
        }
        fields = {name: value for name, value in fields.items() if value is not None}
        own = tuple(name for name in ITEM_OPTIONAL_FIELDS if params.has(name))
        fields |= {name: params.link(name) for name in own}
        if present is None or fields.get("categoria_id") != present.categoria_id:
            check_category(service, params, "categoria_id", fields.get("categoria_id"))
        if present is None or fields.get("pessoa_id") != present.pessoa_id:
            check_person(service, params, "pessoa_id", fields.get("pessoa_id"))
        tags = element.child("tags")
        if tags is not None:
            fields["tags"] = read_ids(params, tags, "tags")
        specs.append(ItemSpec(id_, fields, own))
    return specs


def read_repetition(service: Service, params: Params) -> Repetition | None:
    """Read how an entry repeats; None for one that does not."""
    period = params.choice("periodicidade", known_periods(service.dialeto))
    total = params.integer("total_repeticoes", minimum=1, maximum=REPETITIONS_MAX)
    endless = params.boolean("infinito") or False
    if endless and total is not None:
        params.fail("total_repeticoes", "deve ser nulo quando infinito é verdadeiro")
        params.fail("infinito", "deve ser falso quando total_repeticoes é informado")
    if endless:
        return Repetition(period or PERIOD_DEFAULT, None)
    if total is not None and (total > 1 or period is not None):
        return Repetition(period or PERIOD_DEFAULT, total)
    return None if period is None else Repetition(period, 1)


def check_size(books: Books, params: Params, due: str | None, period: str, total: int | None, members: int) -> None:
    """Note a mistake when repetitions and items together ask for more entries than one request may book."""
    if due is None:
        return
    count = count_to_horizon(books.hoje, due, period) if total is None else total
    if count * members > BOOKED_MAX:
        params.fail("total_repeticoes", f"repetições e itens passam de {BOOKED_MAX} lançamentos")
