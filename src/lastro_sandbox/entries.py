"""Creates, edits and deletes entries: simple ones, composites, and repetitions.

Everything is read and checked before anything is changed, so a refused request leaves the books as they were.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from lastro_sandbox.decisions import NOTE_MAX, PERIOD_DEFAULT, PERIODS, REPETITIONS_MAX
from lastro_sandbox.entry_forms import (
    ENTRY_LINKS,
    ENTRY_REQUIRED,
    ItemSpec,
    Repetition,
    check_size,
    read_fields,
    read_ids,
    read_items,
    read_repetition,
)
from lastro_sandbox.errors import invalid
from lastro_sandbox.ledger import Books
from lastro_sandbox.model import ITEM_OPTIONAL_FIELDS, Entry
from lastro_sandbox.operations import Call, Operation, Param, Service
from lastro_sandbox.reading import find_entry
from lastro_sandbox.render import render_entry
from lastro_sandbox.repeats import add_periods, count_to_horizon

_SHARED: Final = ("conta_id", "data_vencimento", "data_pagamento", "data_competencia", "pagamento_automatico")
"""Fields that belong to a composite as a whole: it is paid at once, from one account."""


@dataclass(slots=True)
class _Edit:
    """All that one edit changes."""

    fields: dict[str, Any]
    changed: list[ItemSpec] = field(default_factory=list)
    removed: list[int] = field(default_factory=list)


# --- creating ------------------------------------------------------------------------------------------------------


def settle_if_due(books: Books, entry: Entry) -> bool:
    """Settle an automatic entry whose due date has been reached, on that date. Tell whether it was settled."""
    if not entry.pagamento_automatico or entry.data_pagamento is not None or entry.data_vencimento > books.hoje:
        return False
    books.change_entry(entry, data_pagamento=entry.data_vencimento, modified=books.tick())
    return True


def _add_item(books: Books, carrier: Entry, spec: ItemSpec) -> Entry:
    """Add one item to a composite; what it does not name holds as in its carrier."""
    inherited = {name: getattr(carrier, name) for name in (*ITEM_OPTIONAL_FIELDS, *_SHARED)}
    return books.add_entry(
        Entry(
            id=books.new_id("lancamentos"),
            **{
                **inherited,
                "tipo_documento_id": carrier.tipo_documento_id,
                "documento": carrier.documento,
                "grupo_id": carrier.grupo_id,
                "numero_repeticao": carrier.numero_repeticao,
                "total_repeticoes": carrier.total_repeticoes,
                "periodicidade": carrier.periodicidade,
                "infinito": carrier.infinito,
                "lancamento_composto_id": carrier.lancamento_composto_id,
                "item_de": carrier.id,
                "proprios": spec.own,
                "modified": books.tick(),
                **spec.fields,
            },
        )
    )


def book_entry(
    books: Books, fields: dict[str, Any], items: Sequence[ItemSpec] = (), repetition: Repetition | None = None
) -> Entry:
    """Book an entry with its items and repetitions, and return the first one.

    Args:
        fields: fields of ``Entry`` except the id and those that repetition and composition set.
        items: items of a composite, each repeated with the entry.
        repetition: None for a single entry.
    """
    if repetition is None:
        return _book_one(books, fields, items)
    count = repetition.total
    if count is None:
        count = count_to_horizon(books.hoje, fields["data_vencimento"], repetition.period)
    series: dict[str, Any] = {
        "periodicidade": repetition.period,
        "total_repeticoes": repetition.total,
        "infinito": repetition.total is None,
        "grupo_id": None if repetition.total == 1 else books.new_id("grupos"),
    }
    first: Entry | None = None
    for number in range(count):
        entry = _book_one(books, step_fields(fields, repetition.period, number) | series, items, number + 1)
        first = first or entry
    if first is None:
        raise ValueError("a repetition has at least one entry")
    return first


def step_fields(fields: dict[str, Any], period: str, steps: int) -> dict[str, Any]:
    """Return the fields of an entry some periods later: dates move, and only the first one can be paid already."""
    moved = dict(fields)
    if steps:
        for name in ("data_vencimento", "data_competencia"):
            if moved.get(name) is not None:
                moved[name] = add_periods(moved[name], period, steps)
        moved["data_pagamento"] = None
    return moved


def _book_one(books: Books, fields: dict[str, Any], items: Sequence[ItemSpec], number: int = 1) -> Entry:
    composite = books.new_id("compostos") if items else None
    entry = books.add_entry(
        Entry(
            id=books.new_id("lancamentos"),
            **{
                "numero_repeticao": number,
                "lancamento_composto_id": composite,
                "modified": books.tick(),
                **fields,
            },
        )
    )
    for item in items:
        _add_item(books, entry, item)
    for member in books.members(entry):
        settle_if_due(books, member)
    return entry


def create_entry(service: Service, call: Call) -> Any:
    """Answer POST /v1/lancamentos."""
    fields = read_fields(service, call, current=None)
    items = read_items(service, call, siblings=None)
    repetition = read_repetition(service, call.params)
    if repetition is not None:
        due = fields["data_vencimento"]
        check_size(service.books, call.params, due, repetition.period, repetition.total, 1 + len(items))
    call.params.check()
    entry = book_entry(service.books, fields, items, repetition)
    return render_entry(service, entry, with_type=True)


# --- editing -------------------------------------------------------------------------------------------------------


def _read_edit(service: Service, call: Call, entry: Entry) -> _Edit:
    """Read an edit and check that a composite's items are all named."""
    params = call.params
    siblings = {member.id: member for member in service.books.siblings(entry)}
    fields = read_fields(service, call, current=entry)
    specs = read_items(service, call, siblings=siblings)
    removed = read_ids(params, call.form.child("itens_excluir"), "itens_excluir")
    named = [spec.id for spec in specs if spec.id is not None] + list(removed)
    for id_ in removed:
        if id_ not in siblings:
            params.fail("itens_excluir", f"{id_} não é um item deste lançamento composto")
    if len(named) != len(set(named)):
        params.fail("itens_adicionais", "um item foi informado mais de uma vez")
    missing = sorted(set(siblings) - set(named))
    if missing:
        params.fail("itens_adicionais", f"informe todos os itens do lançamento composto; faltam {missing}")
    return _Edit(fields, specs, list(removed))


def _apply_item(books: Books, entry: Entry, spec: ItemSpec) -> None:
    """Change an item, or add one that has no id yet to the composite of an entry."""
    if spec.id is not None:
        item = books.lancamentos[spec.id]
        own = tuple(name for name in ITEM_OPTIONAL_FIELDS if name in spec.own or name in item.proprios)
        books.change_entry(item, **spec.fields, proprios=own, modified=books.tick())
        return
    if entry.lancamento_composto_id is None:
        books.change_entry(entry, lancamento_composto_id=books.new_id("compostos"))
    _add_item(books, books.lancamentos.get(entry.item_de or 0, entry), spec)


def _apply_edit(books: Books, entry: Entry, edit: _Edit) -> None:
    """Change an entry and, in a composite, what the whole shares and what items inherit."""
    for member in books.members(entry):
        if member.id == entry.id:
            continue
        shared = {name: value for name, value in edit.fields.items() if name in _SHARED}
        if member.item_de == entry.id:
            shared |= {
                name: value
                for name, value in edit.fields.items()
                if name in ITEM_OPTIONAL_FIELDS and name not in member.proprios
            }
        if shared:
            books.change_entry(member, **shared, modified=books.tick())
    books.change_entry(entry, **edit.fields, modified=books.tick())
    for spec in edit.changed:
        _apply_item(books, entry, spec)
    for id_ in edit.removed:
        books.remove_entry(books.lancamentos[id_])
    rest = books.members(entry)
    if len(rest) == 1 and entry.lancamento_composto_id is not None:
        books.change_entry(entry, lancamento_composto_id=None, item_de=None)
    for member in rest:
        settle_if_due(books, member)


def _propagate(books: Books, entry: Entry, edit: _Edit, before: list[int]) -> None:
    """Apply an edit to the following entries of the group: dates move by period, payments stay, items go by place.

    Args:
        entry: the entry that was edited.
        edit: what was changed in it.
        before: ids of its items before the edit, in order.
    """
    number, period = entry.numero_repeticao or 0, entry.periodicidade or PERIOD_DEFAULT
    place = {id_: position for position, id_ in enumerate(before)}
    for follower in books.group(entry.grupo_id or 0):
        steps = (follower.numero_repeticao or 0) - number
        if steps <= 0:
            continue
        fields = step_fields(edit.fields, period, steps)
        fields.pop("data_pagamento", None)
        items = [member.id for member in books.siblings(follower)]
        at = {id_: items[position] for id_, position in place.items() if position < len(items)}
        moved = _Edit(
            fields,
            [
                ItemSpec(None if spec.id is None else at[spec.id], spec.fields, spec.own)
                for spec in edit.changed
                if spec.id is None or spec.id in at
            ],
            [at[id_] for id_ in edit.removed if id_ in at],
        )
        _apply_edit(books, follower, moved)


def _repeat_from(books: Books, entry: Entry, repetition: Repetition) -> None:
    """Turn a single entry into the first of a series."""
    count = repetition.total or count_to_horizon(books.hoje, entry.data_vencimento, repetition.period)
    series: dict[str, Any] = {
        "periodicidade": repetition.period,
        "total_repeticoes": repetition.total,
        "infinito": repetition.total is None,
        "grupo_id": None if repetition.total == 1 else books.new_id("grupos"),
    }
    for member in books.members(entry):
        books.change_entry(member, **series, numero_repeticao=1)
    extend_series(books, entry, 1, count)


def extend_series(books: Books, last: Entry, first_step: int, until_step: int) -> int:
    """Book the next entries of a series like one of its entries; return how many were booked.

    Args:
        last: the entry that the new ones resemble; steps count from its dates.
        first_step: first step to book, 1 for the next period.
        until_step: step at which to stop.
    """
    names = (*ENTRY_REQUIRED, *ENTRY_LINKS, "data_competencia", "pessoa_id", "documento", "observacao", "tags",
             "pagamento_automatico", "periodicidade", "total_repeticoes", "infinito", "grupo_id")  # fmt: skip
    fields = {name: getattr(last, name) for name in names}
    item_names = ("descricao", "categoria_id", "valor", "tags")
    items = [
        ItemSpec(None, {name: getattr(item, name) for name in (*item_names, *item.proprios)}, item.proprios)
        for item in books.members(last)
        if item.item_de == last.id
    ]
    for step in range(first_step, until_step):
        moved = step_fields(fields, last.periodicidade or PERIOD_DEFAULT, step)
        _book_one(books, moved, items, (last.numero_repeticao or 1) + step)
    return max(0, until_step - first_step)


def edit_entry(service: Service, call: Call) -> Any:
    """Answer PUT /v1/lancamentos/:id."""
    books = service.books
    entry = find_entry(books, call.ids[0])
    if entry.lancamento_transferencia_id is not None:
        raise invalid("id", "é de uma transferência: use /v1/transferencias")
    edit = _read_edit(service, call, entry)
    propagate = call.params.boolean("propagar_alteracao") or False
    repetition = read_repetition(service, call.params)
    if repetition is not None and entry.grupo_id is not None and repetition.total not in (entry.total_repeticoes, 1):
        call.params.fail("total_repeticoes", "não pode mudar em um lançamento que já se repete")
    if repetition is not None and entry.grupo_id is None:
        due = edit.fields.get("data_vencimento") or entry.data_vencimento
        check_size(books, call.params, due, repetition.period, repetition.total, len(books.members(entry)))
    call.params.check()
    before = [member.id for member in books.siblings(entry)]
    _apply_edit(books, entry, edit)
    if repetition is not None and entry.grupo_id is None:
        _repeat_from(books, entry, repetition)
    elif propagate and entry.grupo_id is not None:
        _propagate(books, entry, edit, before)
    return render_entry(service, entry, with_type=True)


# --- deleting ------------------------------------------------------------------------------------------------------


def remove_with_belongings(books: Books, entry: Entry) -> None:
    """Remove an entry and what can't stay without it: its items, the other leg of a transfer, its attachments."""
    doomed = [entry]
    if entry.lancamento_composto_id is not None:
        carried = [member for member in books.members(entry) if member.item_de == entry.id]
        doomed += carried
    if entry.lancamento_transferencia_id is not None:
        pair = books.lancamentos.get(entry.lancamento_transferencia_id)
        doomed += [] if pair is None else [pair]
    for gone in doomed:
        for attachment in gone.anexos:
            books.anexos.pop(attachment, None)
            books.touch("anexos", attachment)
        books.remove_entry(gone)
    if entry.lancamento_composto_id is not None:
        rest = books.composite(entry.lancamento_composto_id)
        if len(rest) == 1:
            books.change_entry(rest[0], lancamento_composto_id=None, item_de=None)


def delete_entry(service: Service, call: Call) -> Any:
    """Answer DELETE /v1/lancamentos/:id."""
    remove_with_belongings(service.books, find_entry(service.books, call.ids[0]))
    return True


_ITEM_LINKS = tuple(
    Param(name, "integer", refers="pessoas" if name == "pessoa_id" else "") for name in ITEM_OPTIONAL_FIELDS
)
_ITEM = (
    Param("descricao", required=True),
    Param("categoria_id", "integer", required=True, refers="categorias"),
    Param("valor", "decimal", required=True),
    *_ITEM_LINKS,
    Param("tags", "ids"),
)


def _entry_body(*, editing: bool) -> tuple[Param, ...]:
    required = not editing
    return (
        Param("descricao", required=required, filled=True),
        Param("conta_id", "integer", required=required, filled=True, refers="contas_lancamento"),
        Param("categoria_id", "integer", required=required, filled=True, refers="categorias"),
        Param("valor", "decimal", required=required, filled=True, text="negative expense, positive revenue"),
        Param("data_vencimento", "date", required=required, filled=True),
        Param("data_pagamento", "date", text="marks the entry paid"),
        Param("data_competencia", "date"),
        *(Param(name, "integer") for name in ENTRY_LINKS),
        Param("pessoa_id", "integer", refers="pessoas", text="customer for revenue, supplier for expense"),
        Param("documento"),
        Param("tags", "ids"),
        Param("periodicidade", values=tuple(PERIODS)),
        Param("total_repeticoes", "integer", minimum=1, maximum=REPETITIONS_MAX, text="null when infinito is true"),
        Param("infinito", "boolean", text="default false; must be false when total_repeticoes is set"),
        Param("observacao", maximum=NOTE_MAX),
        Param("pagamento_automatico", "boolean", text="default false"),
        Param(
            "itens_adicionais",
            "items",
            items=(Param("id", "integer", required=True, minimum=1), *_ITEM) if editing else _ITEM,
        ),
    )


ENTRY_OPERATIONS = (
    Operation("POST", "/v1/lancamentos", create_entry, "criar_lancamento", "Create an entry", "lancamentos",
              body=_entry_body(editing=False), schema="lancamento"),
    Operation("PUT", "/v1/lancamentos/{id}", edit_entry, "editar_lancamento", "Edit an entry", "lancamentos",
              body=(*_entry_body(editing=True),
                    Param("propagar_alteracao", "boolean", text="also the following instalments; default false"),
                    Param("itens_excluir", "ids", text="ids of items to delete")), schema="lancamento"),
    Operation("DELETE", "/v1/lancamentos/{id}", delete_entry, "excluir_lancamento", "Delete an entry", "lancamentos",
              schema="verdadeiro"),
)  # fmt: skip
