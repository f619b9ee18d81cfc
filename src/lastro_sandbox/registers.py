"""Creates, edits and deletes the supporting records: categories, people, classifications, accounts."""

from __future__ import annotations

import re
from typing import Any, Final, Literal

from lastro_sandbox.decisions import CLASSIFICATION_KINDS, NOTE_MAX, TEXT_MAX
from lastro_sandbox.entries import remove_with_belongings
from lastro_sandbox.errors import not_found
from lastro_sandbox.forms import Node
from lastro_sandbox.ledger import Books
from lastro_sandbox.model import Account, Category, Classification, Person
from lastro_sandbox.operations import Answer, Call, Operation, Param, Service
from lastro_sandbox.params import Params
from lastro_sandbox.reading import find_person, get_category, read_digits
from lastro_sandbox.render import render_account, render_classification, render_person

_COLOUR: Final = re.compile(r"#?(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})")
_PERSON_TEXTS: Final = (
    "nome_fantasia", "documento", "inscricao_estadual", "inscricao_municipal", "telefone", "email", "endereco",
    "endereco_numero", "endereco_complemento", "bairro", "cep", "agencia", "numero_conta", "observacao",
)  # fmt: skip
_PERSON_LINKS: Final = ("cidade_id", "estado_id", "banco_id")
_CLASSIFIED_BY: Final = ("classificacao_cliente_id", "classificacao_fornecedor_id")

Role = Literal["cliente", "fornecedor"]


# --- categories ----------------------------------------------------------------------------------------------------


def _read_category(books: Books, params: Params, current: Category | None) -> dict[str, Any]:
    if current is None or params.has("descricao"):
        params.require("descricao")
    colour, parent_id = params.text("cor"), params.link("parent_id")
    if colour is not None and not _COLOUR.fullmatch(colour):
        params.fail("cor", "deve ser uma cor hexadecimal como #00AA55")
    if parent_id is not None:
        if parent_id not in books.categorias:
            params.fail("parent_id", "não existe")
        elif current is not None and current.id in _ancestors(books, parent_id):
            params.fail("parent_id", "não pode ser a própria categoria nem uma filha dela")
    values: dict[str, Any] = {"descricao": params.text("descricao", maximum=TEXT_MAX)}
    if colour is not None:
        values["cor"] = colour
    if params.has("parent_id"):
        values["parent_id"] = parent_id
    active = params.boolean("ativo")
    if current is not None and active is not None:
        values["ativo"] = active
    params.check()
    return {name: value for name, value in values.items() if value is not None or name == "parent_id"}


def _ancestors(books: Books, category_id: int) -> set[int]:
    """Return a category and everything above it."""
    found: set[int] = set()
    current: int | None = category_id
    while current is not None and current not in found:
        found.add(current)
        category = books.categorias.get(current)
        current = None if category is None else category.parent_id
    return found


def create_category(service: Service, call: Call) -> Any:
    """Answer POST /v1/categorias; a new child is of its parent's kind, a new root is mixed."""
    books = service.books
    fields = _read_category(books, call.params, None)
    parent = books.categorias.get(fields.get("parent_id") or 0)
    category = Category(
        books.new_id("categorias"), tipo_categoria_id=0 if parent is None else parent.tipo_categoria_id, **fields
    )
    books.categorias[category.id] = category
    books.touch("categorias", category.id)
    return _show_category(service, category.id)


def edit_category(service: Service, call: Call) -> Any:
    """Answer PUT /v1/categorias/:id."""
    books = service.books
    category = books.categorias.get(call.ids[0])
    if category is None:
        raise not_found("categoria")
    for name, value in _read_category(books, call.params, category).items():
        setattr(category, name, value)
    books.touch("categorias", category.id)
    return _show_category(service, category.id)


def _show_category(service: Service, category_id: int) -> Any:
    return get_category(service, Call(ids=(category_id,), params=Params({}), form=Node()))


def delete_category(service: Service, call: Call) -> Any:
    """Answer DELETE /v1/categorias/:id; children move up to the parent of the deleted one."""
    books, params = service.books, call.params
    category = books.categorias.get(call.ids[0])
    if category is None:
        raise not_found("categoria")
    heir = _read_heir(books, params, category)
    for entry in [entry for entry in books.lancamentos.values() if entry.categoria_id == category.id]:
        if heir is not None:
            books.change_entry(entry, categoria_id=heir, modified=books.tick())
        elif entry.id in books.lancamentos:
            remove_with_belongings(books, entry)
    for child in books.categorias.values():
        if child.parent_id == category.id:
            child.parent_id = category.parent_id
            books.touch("categorias", child.id)
    del books.categorias[category.id]
    books.touch("categorias", category.id)
    return True


def _read_heir(books: Books, params: Params, category: Category) -> int | None:
    """Read the category that takes the entries of a deleted one; None where they go with it."""
    params.require("acao")
    action = params.choice("acao", ("remove_lancamentos", "migra_lancamentos"))
    target = params.integer("migracao_id")
    if action == "migra_lancamentos":
        if target is None:
            params.require("migracao_id")
        elif target not in books.categorias or target == category.id:
            params.fail("migracao_id", "deve ser outra categoria existente")
        elif not books.categorias[target].ativo:
            params.fail("migracao_id", "está inativa")
    params.check()
    return target if action == "migra_lancamentos" else None


# --- people --------------------------------------------------------------------------------------------------------


def _read_person(service: Service, params: Params, role: Role, current: Person | None) -> dict[str, Any]:
    """Read the fields of a person that were sent. ``nome`` is required on create and on edit."""
    params.require("nome")
    values: dict[str, Any] = {"nome": params.text("nome", maximum=TEXT_MAX)}
    for name in _PERSON_TEXTS:
        values[name] = params.text(name, maximum=NOTE_MAX if name == "observacao" else TEXT_MAX)
    for name in _PERSON_LINKS:
        values[name] = params.link(name)
    for name in _CLASSIFIED_BY:
        values[name] = params.link(name)
        _check_classification(service, params, name, values[name], current)
    if service.dialeto == "observado":
        _check_document(service.books, params, values["documento"], current)
    fields = {name: value for name, value in values.items() if params.has(name)}
    other: Role = "fornecedor" if role == "cliente" else "cliente"
    flag = params.boolean(other)
    if flag is not None:
        fields[other] = flag
    active = params.boolean("ativo")
    if current is not None and active is not None:
        fields["ativo"] = active
    params.check()
    return fields


def _check_document(books: Books, params: Params, document: str | None, current: Person | None) -> None:
    """Note a mistake when somebody else has the CPF or CNPJ, however it is punctuated."""
    digits = read_digits(document)
    taken = (person for person in books.pessoas.values() if digits and read_digits(person.documento) == digits)
    if any(current is None or person.id != current.id for person in taken):
        params.fail("documento", "já está em uso")


def _check_classification(
    service: Service, params: Params, name: str, classification_id: int | None, current: Person | None
) -> None:
    if classification_id is None or (current is not None and getattr(current, name) == classification_id):
        return
    found = service.books.classificacoes.get(classification_id)
    if found is None:
        params.fail(name, "não existe")
    elif not found.ativo:
        params.fail(name, "está inativa e não pode ser atribuída")


def _person_answers(role: Role) -> tuple[Answer, Answer, Answer]:  # noqa: C901 - three answers that share a role
    """Build create, edit and delete of people in a role."""
    other: Role = "fornecedor" if role == "cliente" else "cliente"

    def create(service: Service, call: Call) -> Any:
        books = service.books
        fields: dict[str, Any] = {"cliente": False, "fornecedor": False}
        fields |= _read_person(service, call.params, role, None)
        fields[role] = True
        person = Person(books.new_id("pessoas"), **fields)
        books.pessoas[person.id] = person
        books.touch("pessoas", person.id)
        return render_person(person)

    def edit(service: Service, call: Call) -> Any:
        person = find_person(service.books, call.ids[0], role)
        for name, value in _read_person(service, call.params, role, person).items():
            setattr(person, name, value)
        service.books.touch("pessoas", person.id)
        return render_person(person)

    def delete(service: Service, call: Call) -> Any:
        books, params = service.books, call.params
        person = find_person(books, call.ids[0], role)
        target = params.link("migracao_id")
        if target is not None:
            heir = books.pessoas.get(target)
            if heir is None or not getattr(heir, role) or heir.id == person.id:
                params.fail("migracao_id", f"deve ser outro {role} existente")
            elif not heir.ativo:
                params.fail("migracao_id", "está inativo")
        params.check()
        stays = getattr(person, other)
        if target is not None:
            _migrate_person(books, person, target, role, only_role=stays)
        if stays:
            setattr(person, role, False)
        else:
            for attachment in person.anexos:
                books.anexos.pop(attachment, None)
                books.touch("anexos", attachment)
            del books.pessoas[person.id]
        books.touch("pessoas", person.id)
        return True

    return create, edit, delete


def _migrate_person(books: Books, person: Person, target: int, role: Role, *, only_role: bool) -> None:
    """Move the entries (and charges) of a person; of one who stays in the other role, only those of this role."""
    sign = 1 if role == "cliente" else -1
    for entry in books.lancamentos.values():
        if entry.pessoa_id == person.id and (not only_role or entry.valor * sign >= 0):
            books.change_entry(entry, pessoa_id=target, modified=books.tick())
    if role == "cliente":
        for charge in books.cobrancas.values():
            if charge.cliente_id == person.id:
                charge.cliente_id = target
                books.touch("cobrancas", charge.id)


# --- classifications -----------------------------------------------------------------------------------------------


def _read_classification(params: Params, current: Classification | None) -> dict[str, Any]:
    params.require("nome", "tipo_classificacao_id")
    name = params.text("nome", maximum=TEXT_MAX)
    kind = params.integer("tipo_classificacao_id")
    if kind is not None and kind not in CLASSIFICATION_KINDS:
        params.fail("tipo_classificacao_id", f"deve ser um destes: {', '.join(map(str, CLASSIFICATION_KINDS))}")
    active = params.boolean("ativo")
    params.check()
    fields = {"nome": name, "tipo_classificacao_id": kind, "ativo": None if current is None else active}
    return {key: value for key, value in fields.items() if value is not None}


def create_classification(service: Service, call: Call) -> Any:
    """Answer POST /v1/classificacoes."""
    books = service.books
    fields = _read_classification(call.params, None)
    found = Classification(books.new_id("classificacoes"), **fields)
    books.classificacoes[found.id] = found
    books.touch("classificacoes", found.id)
    return render_classification(found)


def edit_classification(service: Service, call: Call) -> Any:
    """Answer PUT /v1/classificacoes/:id."""
    found = _find_classification(service, call)
    for name, value in _read_classification(call.params, found).items():
        setattr(found, name, value)
    service.books.touch("classificacoes", found.id)
    return render_classification(found)


def _find_classification(service: Service, call: Call) -> Classification:
    found = service.books.classificacoes.get(call.ids[0])
    if found is None:
        raise not_found("classificação")
    return found


def delete_classification(service: Service, call: Call) -> Any:
    """Answer DELETE /v1/classificacoes/:id; without ``migracao_id`` its people are left without one."""
    books, params = service.books, call.params
    found = _find_classification(service, call)
    target = params.link("migracao_id")
    if target is not None:
        heir = books.classificacoes.get(target)
        if heir is None or heir.id == found.id:
            params.fail("migracao_id", "deve ser outra classificação existente")
        elif not heir.ativo:
            params.fail("migracao_id", "está inativa")
    params.check()
    for person in books.pessoas.values():
        for name in _CLASSIFIED_BY:
            if getattr(person, name) == found.id:
                setattr(person, name, target)
                books.touch("pessoas", person.id)
    del books.classificacoes[found.id]
    books.touch("classificacoes", found.id)
    return True


# --- accounts ------------------------------------------------------------------------------------------------------


def create_account(service: Service, call: Call) -> Any:
    """Answer POST /v1/contas."""
    books, params = service.books, call.params
    params.require("descricao")
    text = params.text("descricao", maximum=TEXT_MAX)
    agency, number = params.text("agencia", maximum=TEXT_MAX), params.text("numero", maximum=TEXT_MAX)
    manager = params.text("nome_gerente", maximum=TEXT_MAX)
    phone = params.text("telefone_gerente", maximum=TEXT_MAX)
    bank, since = params.link("banco_id"), params.date("data_saldo_inicial")
    opening, entries = params.centavos("valor_saldo_inicial"), params.boolean("permite_lancamento")
    params.check()
    if text is None:
        raise AssertionError("check refuses an account without a name")
    account = Account(
        books.new_id("contas"),
        text,
        valor_saldo_inicial=opening or 0,
        data_saldo_inicial=since,
        permite_lancamento=entries is not False,
        banco_id=bank,
        agencia=agency,
        numero=number,
        nome_gerente=manager,
        telefone_gerente=phone,
    )
    books.contas[account.id] = account
    books.touch("contas", account.id)
    return render_account(account)


def _category_body(*, editing: bool) -> tuple[Param, ...]:
    body = (
        Param("descricao", required=not editing, filled=True),
        Param("cor", "colour", text="hex colour"),
        Param("parent_id", "integer", refers="categorias_todas"),
    )
    return (*body, Param("ativo", "boolean")) if editing else body


def _person_body(role: Role, *, editing: bool) -> tuple[Param, ...]:
    other = "fornecedor" if role == "cliente" else "cliente"
    body = (
        Param("nome", required=True),
        *(Param(name, maximum=NOTE_MAX if name == "observacao" else TEXT_MAX) for name in _PERSON_TEXTS),
        *(Param(name, "integer") for name in _PERSON_LINKS),
        *(Param(name, "integer", refers="classificacoes") for name in _CLASSIFIED_BY),
        Param(other, "boolean", text="the same record is also in the other role; default false"),
    )
    return (*body, Param("ativo", "boolean")) if editing else body


def _person_operations(role: Role, plural: str) -> tuple[Operation, ...]:
    create, edit, delete = _person_answers(role)
    return (
        Operation("POST", f"/v1/{plural}", create, f"criar_{role}", f"Create a {role}", plural,
                  body=_person_body(role, editing=False), schema="pessoa"),
        Operation("PUT", f"/v1/{plural}/{{id}}", edit, f"editar_{role}", f"Edit a {role}", plural,
                  body=_person_body(role, editing=True), schema="pessoa"),
        Operation("DELETE", f"/v1/{plural}/{{id}}", delete, f"excluir_{role}", f"Delete a {role}", plural,
                  query=(Param("migracao_id", "integer", text="who receives the entries"),), schema="verdadeiro"),
    )  # fmt: skip


_CLASSIFICATION_BODY = (
    Param("nome", required=True),
    Param("tipo_classificacao_id", "integer", required=True, values=tuple(map(str, CLASSIFICATION_KINDS))),
)

REGISTER_OPERATIONS = (
    Operation("POST", "/v1/categorias", create_category, "criar_categoria", "Create a category", "categorias",
              body=_category_body(editing=False), schema="categoria"),
    Operation("PUT", "/v1/categorias/{id}", edit_category, "editar_categoria", "Edit a category", "categorias",
              body=_category_body(editing=True), schema="categoria"),
    Operation("DELETE", "/v1/categorias/{id}", delete_category, "excluir_categoria", "Delete a category",
              "categorias", query=(
                  Param("acao", required=True, values=("remove_lancamentos", "migra_lancamentos")),
                  Param("migracao_id", "integer", text="required with migra_lancamentos")), schema="verdadeiro"),
    *_person_operations("cliente", "clientes"),
    *_person_operations("fornecedor", "fornecedores"),
    Operation("POST", "/v1/classificacoes", create_classification, "criar_classificacao", "Create a classification",
              "classificacoes", body=_CLASSIFICATION_BODY, schema="classificacao"),
    Operation("PUT", "/v1/classificacoes/{id}", edit_classification, "editar_classificacao",
              "Edit a classification", "classificacoes", body=(*_CLASSIFICATION_BODY, Param("ativo", "boolean")),
              schema="classificacao"),
    Operation("DELETE", "/v1/classificacoes/{id}", delete_classification, "excluir_classificacao",
              "Delete a classification", "classificacoes",
              query=(Param("migracao_id", "integer", text="which one receives the people"),), schema="verdadeiro"),
    Operation("POST", "/v1/contas", create_account, "criar_conta", "Create a bank account", "contas", body=(
        Param("descricao", required=True),
        Param("banco_id", "integer"),
        Param("agencia"),
        Param("numero"),
        Param("nome_gerente"),
        Param("telefone_gerente"),
        Param("permite_lancamento", "boolean", text="default true; otherwise only transfers move the account"),
        Param("data_saldo_inicial", "date"),
        Param("valor_saldo_inicial", "decimal"),
    ), schema="conta"),
)  # fmt: skip
