"""Answers every documented GET; the lists that only the dialect ``observado`` has are in ``references``."""

from __future__ import annotations

from typing import Any

from lastro_sandbox.answers import Rows
from lastro_sandbox.decisions import (
    CHARGES_PAGE,
    CLASSIFICATION_CUSTOMER,
    CLASSIFICATION_MIXED,
    ENTRY_TYPES,
    wrap_count,
)
from lastro_sandbox.errors import not_found
from lastro_sandbox.ledger import Books
from lastro_sandbox.listing import read_entry_filter, select_charges
from lastro_sandbox.model import Category, Entry, Person
from lastro_sandbox.operations import Call, Operation, Param, Service
from lastro_sandbox.render import (
    render_category,
    render_charge,
    render_classification,
    render_entry,
    render_person,
    render_transfer,
)
from lastro_sandbox.search import fold_text


def find_entry(books: Books, entry_id: int) -> Entry:
    """Return the entry that is visible under this id.

    Raises:
        Refused: 404 when there is none, or it is an item visible only inside the entry that carries it.
    """
    entry = books.lancamentos.get(entry_id)
    if entry is None or not books.is_row(entry):
        raise not_found("lançamento")
    return entry


def find_transfer(books: Books, entry_id: int) -> list[Entry]:
    """Return both legs of a transfer by the id of either, the source (negative) first.

    Raises:
        Refused: 404 when the id is no leg of a transfer.
    """
    leg = books.lancamentos.get(entry_id)
    pair = None if leg is None else books.lancamentos.get(leg.lancamento_transferencia_id or 0)
    if leg is None or pair is None:
        raise not_found("transferência")
    return sorted((leg, pair), key=lambda entry: (entry.valor >= 0, entry.id))


def list_entries(service: Service, call: Call) -> Any:
    """Answer GET /v1/lancamentos."""
    since = call.params.raw("excluido_apos") if service.dialeto == "observado" else None
    asked, window = read_entry_filter(call.params, service.dialeto)
    if since is not None:
        return [
            render_entry(service, entry)
            for moment, entry in service.books.excluidos
            if moment > since and asked.conta_id in (None, entry.conta_id)
        ]
    if window.view == "count":
        return wrap_count(len(service.listings.select(asked)) + service.count_delta, service.forma_count)
    page = service.listings.page(asked, window)
    if window.view == "list":
        return [{"id": entry.id, "descricao": entry.descricao} for entry in page]
    return Rows(page)


def get_entry(service: Service, call: Call) -> Any:
    """Answer GET /v1/lancamentos/:id."""
    return render_entry(service, find_entry(service.books, call.ids[0]))


def get_transfer(service: Service, call: Call) -> Any:
    """Answer GET /v1/transferencias/:id."""
    return render_transfer(service, find_transfer(service.books, call.ids[0]))


def list_charges(service: Service, call: Call) -> Any:
    """Answer GET /v1/cobrancas."""
    found, window = select_charges(service.books, call.params)
    if window.view == "count":
        return wrap_count(len(found) + service.count_delta, service.forma_count)
    return [render_charge(service, charge) for charge in found[window.start : window.start + CHARGES_PAGE]]


def get_charge(service: Service, call: Call) -> Any:
    """Answer GET /v1/cobrancas/:id."""
    charge = service.books.cobrancas.get(call.ids[0])
    if charge is None:
        raise not_found("cobrança")
    return render_charge(service, charge)


def _children(books: Books, *, inactive: bool) -> dict[int | None, list[Category]]:
    """Return the categories to show under each parent; one whose parent is not shown stands at the top."""
    shown = {id_: category for id_, category in books.categorias.items() if inactive or category.ativo}
    children: dict[int | None, list[Category]] = {}
    for category in sorted(shown.values(), key=lambda category: (fold_text(category.descricao), category.id)):
        children.setdefault(category.parent_id if category.parent_id in shown else None, []).append(category)
    return children


def render_category_tree(children: dict[int | None, list[Category]], category: Category) -> dict[str, Any]:
    """Return a category with everything below it."""
    below = [render_category_tree(children, child) for child in children.get(category.id, [])]
    return render_category(category, below)


def list_categories(service: Service, call: Call) -> Any:
    """Answer GET /v1/categorias."""
    inactive = call.params.boolean("considerar_inativos") or False
    view = call.params.one_of("tipo_view", ("children",))
    call.params.check()
    children = _children(service.books, inactive=inactive)
    if view == "children":
        flat = [category for parent, found in children.items() if parent is not None for category in found]
        return [render_category(category, []) for category in sorted(flat, key=lambda category: category.id)]
    return [render_category_tree(children, category) for category in children.get(None, [])]


def get_category(service: Service, call: Call) -> Any:
    """Answer GET /v1/categorias/:id."""
    category = service.books.categorias.get(call.ids[0])
    if category is None:
        raise not_found("categoria")
    return render_category_tree(_children(service.books, inactive=True), category)


def find_person(books: Books, person_id: int, role: str) -> Person:
    """Return a person in a role (``cliente`` or ``fornecedor``).

    Raises:
        Refused: 404 when there is none in that role.
    """
    person = books.pessoas.get(person_id)
    if person is None or not getattr(person, role):
        raise not_found(role)
    return person


def _list_people(service: Service, call: Call, role: str) -> Any:
    params = call.params
    inactive = params.boolean("considerar_inativos") or False
    documento, term = params.raw("documento"), params.raw("term")
    params.check()
    needle = fold_text(term or "")
    found = [
        person
        for person in service.books.pessoas.values()
        if getattr(person, role)
        and (inactive or person.ativo)
        and (documento is None or read_digits(person.documento) == read_digits(documento))
        and (term is None or any(needle in fold_text(text) for text in _term_texts(person)))
    ]
    return [render_person(person) for person in sorted(found, key=lambda person: person.id)]


def read_digits(text: str | None) -> str:
    """Return the digits of a CPF or CNPJ, however it is punctuated."""
    return "".join(c for c in text or "" if c.isdigit())


def _term_texts(person: Person) -> list[str]:
    return [
        text
        for text in (person.nome, person.nome_fantasia, person.email, person.endereco, person.telefone)
        if text is not None
    ]


def list_customers(service: Service, call: Call) -> Any:
    """Answer GET /v1/clientes."""
    return _list_people(service, call, "cliente")


def list_suppliers(service: Service, call: Call) -> Any:
    """Answer GET /v1/fornecedores."""
    return _list_people(service, call, "fornecedor")


def get_customer(service: Service, call: Call) -> Any:
    """Answer GET /v1/clientes/:id."""
    return render_person(find_person(service.books, call.ids[0], "cliente"))


def get_supplier(service: Service, call: Call) -> Any:
    """Answer GET /v1/fornecedores/:id."""
    return render_person(find_person(service.books, call.ids[0], "fornecedor"))


def list_classifications(service: Service, call: Call) -> Any:
    """Answer GET /v1/classificacoes: one kind (customer unless asked otherwise) and the mixed ones."""
    inactive = call.params.boolean("considerar_inativos") or False
    kind = call.params.integer("tipo_classificacao")
    call.params.check()
    kinds = (CLASSIFICATION_CUSTOMER if kind is None else kind, *CLASSIFICATION_MIXED)
    return [
        render_classification(found)
        for found in sorted(service.books.classificacoes.values(), key=lambda found: found.id)
        if found.tipo_classificacao_id in kinds and (inactive or found.ativo)
    ]


def get_classification(service: Service, call: Call) -> Any:
    """Answer GET /v1/classificacoes/:id."""
    found = service.books.classificacoes.get(call.ids[0])
    if found is None:
        raise not_found("classificação")
    return render_classification(found)


_INACTIVE = Param("considerar_inativos", "boolean", text="also the inactive ones; default false")
_PERIOD = (
    Param("data_inicio", "date", text="works only together with data_fim"),
    Param("data_fim", "date", text="works only together with data_inicio"),
)
_ENTRY_QUERY = (
    Param("conta_id", "integer", text="required, except when pessoa_id is given"),
    Param("pessoa_id", "integer"),
    Param("grupo_id", "integer", text="repetition group"),
    Param("lancamento_composto_id", "integer", text="item group"),
    Param("categoria_id", "integer"),
    Param("centro_custo_lucro_id", "integer"),
    Param("forma_pagamento_id", "integer"),
    Param("tipo_documento_id", "integer"),
    Param("documento", text="exact match"),
    Param("tag_id", "tags", text="1|2|3 any of the tags, 1&2&3 all of them"),
    *_PERIOD,
    Param("regime", values=("caixa", "competencia")),
    Param("busca", text="approximate match on value, description, note and person"),
    Param("tipo", values=ENTRY_TYPES),
    Param("tipo_view", values=("list", "count")),
    Param("limit", "integer", minimum=1, text="default 50, at most 500"),
    Param("start", "integer", text="offset"),
)
_CHARGE_QUERY = (
    Param("conta_id", "integer"),
    Param("cliente_id", "integer"),
    Param("cobranca_hash"),
    Param("lancamento_composto_id", "integer"),
    Param("data_inicio", "date", text="due on or after"),
    Param("data_fim", "date", text="due on or before"),
    Param("start", "integer", text="offset; 50 charges a page"),
    Param("tipo_view", values=("all", "count")),
    Param("status", values=("agendado", "pendente", "cliente_pagou", "transferindo", "transferido")),
)
_PEOPLE_QUERY = (
    _INACTIVE,
    Param("documento", text="digits without mask"),
    Param("term", text="approximate match on name, e-mail, address, phone"),
)

READ_OPERATIONS = (
    Operation("GET", "/v1/lancamentos", list_entries, "listar_lancamentos", "List entries", "lancamentos",
              query=_ENTRY_QUERY, schema="lancamento", array=True),
    Operation("GET", "/v1/lancamentos/{id}", get_entry, "obter_lancamento", "Get one entry", "lancamentos",
              schema="lancamento"),
    Operation("GET", "/v1/transferencias/{id}", get_transfer, "obter_transferencia", "Get both legs of a transfer",
              "transferencias", schema="transferencia", array=True),
    Operation("GET", "/v1/cobrancas", list_charges, "listar_cobrancas", "List charges", "cobrancas",
              query=_CHARGE_QUERY, schema="cobranca", array=True),
    Operation("GET", "/v1/cobrancas/{id}", get_charge, "obter_cobranca", "Get one charge", "cobrancas",
              schema="cobranca"),
    Operation("GET", "/v1/categorias", list_categories, "listar_categorias", "List the category tree", "categorias",
              query=(_INACTIVE, Param("tipo_view", values=("children",))), schema="categoria", array=True),
    Operation("GET", "/v1/categorias/{id}", get_category, "obter_categoria", "Get one category", "categorias",
              schema="categoria"),
    Operation("GET", "/v1/clientes", list_customers, "listar_clientes", "List customers", "clientes",
              query=_PEOPLE_QUERY, schema="pessoa", array=True),
    Operation("GET", "/v1/clientes/{id}", get_customer, "obter_cliente", "Get one customer", "clientes",
              schema="pessoa"),
    Operation("GET", "/v1/fornecedores", list_suppliers, "listar_fornecedores", "List suppliers", "fornecedores",
              query=_PEOPLE_QUERY, schema="pessoa", array=True),
    Operation("GET", "/v1/fornecedores/{id}", get_supplier, "obter_fornecedor", "Get one supplier", "fornecedores",
              schema="pessoa"),
    Operation("GET", "/v1/classificacoes", list_classifications, "listar_classificacoes", "List classifications",
              "classificacoes", query=(_INACTIVE, Param("tipo_classificacao", "integer")), schema="classificacao",
              array=True),
    Operation("GET", "/v1/classificacoes/{id}", get_classification, "obter_classificacao",
              "Get one classification", "classificacoes", schema="classificacao"),
)  # fmt: skip
