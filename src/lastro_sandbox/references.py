"""Answers the lists that only the dialect ``observado`` has: accounts, and the names behind the ids of the document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from lastro_sandbox.decisions import BANKS, COST_LEVELS, COST_SHARES
from lastro_sandbox.errors import not_found
from lastro_sandbox.model import Named
from lastro_sandbox.operations import Answer, Call, Operation, Param, Service
from lastro_sandbox.render import CITIES, STATES, render_account_detail, render_listed_account, render_named


def list_accounts(service: Service, _call: Call) -> Any:
    """Answer GET /v1/contas (dialect ``observado``)."""
    accounts = sorted(service.books.contas.values(), key=lambda account: account.id)
    return [render_listed_account(service, account) for account in accounts]


def get_account(service: Service, call: Call) -> Any:
    """Answer GET /v1/contas/:id (dialect ``observado``)."""
    account = service.books.contas.get(call.ids[0])
    if account is None:
        raise not_found("conta")
    return render_account_detail(service, account)


def list_cost_centres(service: Service, call: Call) -> Any:
    """Answer GET /v1/centros_custo_lucro (dialect ``observado``): a tree, or the children alone."""
    records = sorted(service.books.centros.values(), key=lambda record: record.id)

    def render(record: Named, *, deep: bool = True) -> dict[str, Any]:
        below = [render(child) for child in records if deep and child.parent_id == record.id]
        return render_named(record) | {"parent_id": record.parent_id or 0, "centros_custo_lucro_filhos": below}

    if call.params.one_of("tipo_view", ("children",)):
        return [render(record, deep=False) for record in records if record.parent_id is not None]
    return [render(record) for record in records if record.parent_id is None]


def _list_named(collection: str) -> Answer:
    def answer(service: Service, _call: Call) -> Any:
        records: Mapping[int, Named] = getattr(service.books, collection)
        return [render_named(records[id_]) for id_ in sorted(records)]

    return answer


def _list_fixed(names: Mapping[int, str]) -> Answer:
    def answer(_service: Service, _call: Call) -> Any:
        return [render_named(Named(id_, name)) for id_, name in names.items()]

    return answer


def list_states(_service: Service, _call: Call) -> Any:
    """Answer GET /v1/estados (dialect ``observado``)."""
    return [{"id": id_, "sigla": short, "nome": name} for id_, (short, name) in STATES.items()]


def list_cities(_service: Service, call: Call) -> Any:
    """Answer GET /v1/cidades (dialect ``observado``), those of one state with ``estado_id``."""
    state = call.params.integer("estado_id")
    call.params.check()
    return [
        {"id": id_, "nome": name, "estado_id": of} for id_, (name, of) in CITIES.items() if state is None or of == state
    ]


_LISTS: Final[tuple[tuple[str, Answer, str, str, str], ...]] = (
    ("formas_pagamento", _list_named("formas"), "listar_formas", "List payment methods", "nomeado"),
    ("tags", _list_named("tags"), "listar_tags", "List tags", "nomeado"),
    ("tipos_documento_fiscal", _list_named("tipos_documento"), "listar_tipos_documento", "List document types",
     "nomeado"),
    ("bancos", _list_fixed(BANKS), "listar_bancos", "List banks", "nomeado"),
    ("tipos_custo_nivel_producao", _list_fixed(COST_LEVELS), "listar_niveis", "List cost levels", "nomeado"),
    ("tipos_custo_apropriacao_produto", _list_fixed(COST_SHARES), "listar_apropriacoes", "List cost shares",
     "nomeado"),
    ("estados", list_states, "listar_estados", "List states", "estado"),
)  # fmt: skip

REFERENCE_OPERATIONS = (
    Operation("GET", "/v1/contas", list_accounts, "listar_contas", "List accounts", "contas", schema="conta_listada",
              array=True, only_observado=True),
    Operation("GET", "/v1/contas/{id}", get_account, "obter_conta", "Get one account with its opening entry", "contas",
              schema="conta_detalhada", only_observado=True),
    Operation("GET", "/v1/centros_custo_lucro", list_cost_centres, "listar_centros", "List cost centres",
              "referencias", query=(Param("tipo_view", values=("children",)),), schema="centro", array=True,
              only_observado=True),
    Operation("GET", "/v1/cidades", list_cities, "listar_cidades", "List cities", "referencias",
              query=(Param("estado_id", "integer"),), schema="cidade", array=True, only_observado=True),
    *(
        Operation("GET", f"/v1/{path}", answer, name, summary, "referencias", schema=schema, array=True,
                  only_observado=True)
        for path, answer, name, summary, schema in _LISTS
    ),
)  # fmt: skip
