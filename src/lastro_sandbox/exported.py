"""Makes books of what a user exported from the service: the JSON lists as it answers them, in one file or several.

``lancamentos*.json`` holds arrays of entries (of one account or all, any number of pages), and likewise ``cobrancas``,
``categorias``, ``clientes``, ``fornecedores``, ``classificacoes``, ``contas``, ``centros_custo_lucro``,
``formas_pagamento``, ``tags``, ``tipos_documento_fiscal``. Only ``lancamentos`` must be there. Every value is checked;
all mistakes are told, the first ten of them with file, record and field. Which shape composites have is seen in the
records themselves.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any, Final

from lastro_sandbox.decisions import CHARGE_METHODS, CHARGE_STATUS, CompositeShape
from lastro_sandbox.ledger import Books
from lastro_sandbox.model import (
    ITEM_OPTIONAL_FIELDS,
    Account,
    Category,
    Charge,
    Classification,
    Entry,
    Named,
    Person,
)
from lastro_sandbox.params import parse_centavos, parse_date

NAMED: Final = {
    "centros_custo_lucro": "centros",
    "formas_pagamento": "formas",
    "tags": "tags",
    "tipos_documento_fiscal": "tipos_documento",
}
LISTS: Final = (
    "lancamentos", "cobrancas", "categorias", "clientes", "fornecedores", "classificacoes", "contas", *NAMED,
)  # fmt: skip
_TOLD: Final = 10
_FILE: Final = re.compile(rf"({'|'.join(LISTS)})([-_.].*)?\.json")
_METHODS: Final = {id_: kind for kind, id_ in CHARGE_METHODS.items()}
_STATES: Final = {number: state for state, (number, _) in CHARGE_STATUS.items()}


class ExportError(ValueError):
    """The folder can't be read as an export; the message says where and why."""


class _Reader:
    """Typed readers over one record, which note mistakes with their place."""

    def __init__(self, record: dict[str, Any], place: str, mistakes: list[str]) -> None:
        self._record, self._place, self._mistakes = record, place, mistakes

    def _fail(self, name: str, what: str) -> None:
        self._mistakes.append(f"{self._place}: {name} {what}")

    def id(self, name: str, *, required: bool = False) -> int | None:
        """Read an id; null, blank and 0 are no link."""
        value = self._record.get(name)
        if isinstance(value, str) and value.strip().isdecimal():
            value = int(value)
        if value in (None, "", 0) and not isinstance(value, bool):
            if required:
                self._fail(name, "is missing")
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 2**53:
            self._fail(name, "is no id")
            return None
        return value

    def money(self, name: str, *, required: bool = False) -> int | None:
        """Read an amount in centavos."""
        value = self._record.get(name)
        if value in (None, ""):
            if required:
                self._fail(name, "is missing")
            return None
        # The service leaves out the zero before the point now and then.
        text = re.sub(r"^([+-]?)\.", r"\g<1>0.", str(value).strip())
        centavos = parse_centavos(text) if not isinstance(value, bool) else None
        if centavos is None:
            self._fail(name, "is no amount with at most two decimals")
        return centavos

    def day(self, name: str, *, required: bool = False) -> str | None:
        """Read a date."""
        value = self._record.get(name)
        if value in (None, ""):
            if required:
                self._fail(name, "is missing")
            return None
        day = parse_date(value) if isinstance(value, str) else None
        if day is None:
            self._fail(name, "is no date AAAA-MM-DD")
        return day

    def text(self, name: str, *, required: bool = False) -> str | None:
        """Read a text."""
        value = self._record.get(name)
        if value is None:
            if required:
                self._fail(name, "is missing")
            return None
        if not isinstance(value, str):
            self._fail(name, "is no text")
            return None
        return value

    def truth(self, name: str, *, default: bool = False) -> bool:
        """Read a truth; 1 and 0 count too."""
        value = self._record.get(name, default)
        if value not in (True, False, 0, 1):
            self._fail(name, "is neither true nor false")
            return default
        return bool(value)

    def ids(self, name: str) -> tuple[int, ...]:
        """Read a list of objects with an id."""
        value = self._record.get(name) or []
        found = (
            [one.get("id") if isinstance(one, dict) else one for one in value] if isinstance(value, list) else [None]
        )
        ids = [id_ for id_ in found if isinstance(id_, int) and not isinstance(id_, bool) and id_ > 0]
        if len(ids) < len(found):
            self._fail(name, "is no list of ids")
            return ()
        return tuple(dict.fromkeys(ids))

    def records(self, name: str) -> list[dict[str, Any]]:
        """Read a list of nested records."""
        value = self._record.get(name) or []
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            self._fail(name, "is no list of records")
            return []
        return value


def _read_lists(folder: Path, mistakes: list[str]) -> dict[str, list[tuple[str, dict[str, Any]]]]:
    """Read all files into (place, record) by list; the first record of an id counts."""
    found: dict[str, dict[int, tuple[str, dict[str, Any]]]] = {name: {} for name in LISTS}
    for path in sorted(folder.glob("*.json")):
        match = _FILE.fullmatch(path.name)
        if match is None:
            mistakes.append(f"{path.name}: no list of this name is known; known: {', '.join(LISTS)}")
            continue
        try:
            records = json.loads(path.read_bytes(), parse_float=str)
        except (ValueError, RecursionError, OSError):
            mistakes.append(f"{path.name}: can't be read as JSON in UTF-8")
            continue
        if not isinstance(records, list):
            mistakes.append(f"{path.name}: is no JSON array")
            continue
        for number, record in enumerate(_flatten(records)):
            place = f"{path.name}[{number}]"
            id_ = _Reader(record, place, mistakes).id("id", required=True) if isinstance(record, dict) else None
            if not isinstance(record, dict):
                mistakes.append(f"{place}: is no record")
            elif id_ is not None:
                found[match.group(1)].setdefault(id_, (place, record))
    return {name: list(records.values()) for name, records in found.items()}


def _flatten(records: list[Any]) -> Iterator[Any]:
    """Go through records and, of trees, their children, each with the id of its parent."""
    for record in records:
        yield record
        if isinstance(record, dict):
            for name in ("categorias_filhas", "centros_custo_lucro_filhos"):
                below = record.get(name)
                if isinstance(below, list):
                    yield from _flatten(
                        [{"parent_id": record.get("id"), **one} for one in below if isinstance(one, dict)]
                    )


def _read_entry(read: _Reader, carrier: Entry | None = None) -> Entry | None:
    id_, amount = read.id("id", required=True), read.money("valor", required=True)
    due = read.day("data_vencimento", required=carrier is None)
    if id_ is None or amount is None or (due is None and carrier is None):
        return None
    optional: dict[str, Any] = {name: read.id(name) for name in ITEM_OPTIONAL_FIELDS}
    own = tuple(name for name, value in optional.items() if value is not None)
    entry = Entry(
        id=id_,
        conta_id=read.id("conta_id", required=carrier is None),
        categoria_id=read.id("categoria_id"),
        valor=amount,
        descricao=read.text("descricao") or "",
        data_vencimento=due or (carrier.data_vencimento if carrier is not None else ""),
        data_pagamento=read.day("data_pagamento"),
        data_competencia=read.day("data_competencia"),
        grupo_id=read.id("grupo_id"),
        lancamento_transferencia_id=read.id("lancamento_transferencia_id"),
        lancamento_composto_id=read.id("lancamento_composto_id"),
        tipo_documento_id=read.id("tipo_documento_id"),
        documento=read.text("documento") or "",
        observacao=read.text("observacao") or "",
        pagamento_automatico=read.truth("pagamento_automatico"),
        numero_repeticao=read.id("numero_repeticao"),
        total_repeticoes=read.id("total_repeticoes"),
        periodicidade=read.text("periodicidade"),
        infinito=read.truth("infinito"),
        pedido_id=read.id("pedido_id"),
        modified=read.text("modified") or "2020-01-01 00:00:00",
        tags=read.ids("tags"),
        **optional,
    )
    if carrier is not None:
        entry.item_de, entry.proprios = carrier.id, own
        for name in ("conta_id", "data_pagamento", "data_competencia", "lancamento_composto_id"):
            if getattr(entry, name) is None:
                setattr(entry, name, getattr(carrier, name))
        for name in ITEM_OPTIONAL_FIELDS:
            if name not in own:
                setattr(entry, name, getattr(carrier, name))
    return entry


def _read_entries(records: list[tuple[str, dict[str, Any]]], mistakes: list[str]) -> tuple[list[Entry], CompositeShape]:
    """Read entries with their nested items, and tell in which shape they show composites."""
    entries: dict[int, Entry] = {}
    nested: list[tuple[int, str, dict[str, Any]]] = []
    for place, record in records:
        read = _Reader(record, place, mistakes)
        entry = _read_entry(read)
        if entry is not None:
            entries[entry.id] = entry
            nested += [(entry.id, place, item) for item in read.records("itens_adicionais")]
    rows, carries = set(entries), {carrier for carrier, _, _ in nested}
    seen = {item.get("id") for _, _, item in nested}
    for carrier, place, item in nested:
        if item.get("id") not in rows:
            found = _read_entry(_Reader(item, f"{place}.itens_adicionais", mistakes), entries[carrier])
            if found is not None:
                entries[found.id] = found
    _forget_other_halves(entries)
    if not seen & rows:
        rows_only = len({e.lancamento_composto_id for e in entries.values()} - {None}) > 0 and not nested
        return list(entries.values()), "B" if rows_only else "A"
    if seen & carries:
        _find_carriers(entries)
        return list(entries.values()), "D"
    for carrier, _, item in nested:
        if item.get("id") in entries:  # what can't be read is told
            entries[item["id"]].item_de = carrier
    return list(entries.values()), "C"


def _forget_other_halves(entries: dict[int, Entry]) -> None:
    """Let go of the other half of a transfer where its account was not exported."""
    for entry in entries.values():
        if entry.lancamento_transferencia_id not in entries:
            entry.lancamento_transferencia_id = None


def _find_carriers(entries: dict[int, Entry]) -> None:
    """Where members of composites are rows, take the first of each as the one that carries the others."""
    first: dict[int, int] = {}
    for entry in sorted(entries.values(), key=lambda entry: entry.id):
        composite = entry.lancamento_composto_id
        if composite is not None and first.setdefault(composite, entry.id) != entry.id:
            entry.item_de = first[composite]


def _read_charge(read: _Reader, record: dict[str, Any]) -> Charge | None:
    id_, amount, due = read.id("id"), read.money("valor", required=True), read.day("data_vencimento", required=True)
    account, customer = read.id("conta_id", required=True), read.id("cliente_id", required=True)
    if id_ is None or amount is None or due is None or account is None or customer is None:
        return None
    method = read.id("forma_pagamento_id") or CHARGE_METHODS["boleto"]
    named = str(record.get("lancamento_ids") or "").replace(" ", "").split(",")
    return Charge(
        id=id_,
        conta_id=account,
        cliente_id=customer,
        valor=amount,
        data_vencimento=due,
        tipo_cobranca=_METHODS.get(method, "boleto"),
        forma_pagamento_id=method,
        estado=_STATES.get(read.id("status_id") or 1, "pendente"),
        valor_taxa=read.money("valor_taxa") or 0,
        percentual_multa=read.money("percentual_multa") or 0,
        cobrar_juros=int(read.truth("cobrar_juros")),
        valor_multa_juros=read.money("valor_multa_juros") or 0,
        valor_pago=read.money("valor_pago"),
        instrucoes_boleto=read.text("instrucoes_boleto"),
        permitir_segunda_via=int(read.truth("permitir_segunda_via", default=True)),
        lancamento_ids=tuple(int(text) for text in named if text.isdecimal()),
        lancamento_composto_id=read.id("lancamento_composto_id"),
        email=read.text("email"),
        data_a_transferir=read.day("data_a_transferir"),
        data_transferindo=read.day("data_transferindo"),
        data_transferido=read.day("data_transferido"),
        data_cancelamento=read.day("data_cancelamento"),
        cobranca_hash=read.text("cobranca_hash") or f"exportada{id_}",
    )


def _read_person(read: _Reader, _record: dict[str, Any]) -> Person | None:
    id_, name = read.id("id"), read.text("nome", required=True)
    if id_ is None or name is None:
        return None
    texts = ("nome_fantasia", "documento", "inscricao_estadual", "inscricao_municipal", "telefone", "endereco",
             "endereco_numero", "endereco_complemento", "bairro", "cep", "email", "observacao", "agencia",
             "numero_conta")  # fmt: skip
    links = ("cidade_id", "estado_id", "banco_id", "classificacao_cliente_id", "classificacao_fornecedor_id")
    person = Person(id_, name, cliente=read.truth("cliente"), fornecedor=read.truth("fornecedor"),
                    ativo=read.truth("ativo", default=True))  # fmt: skip
    for field in texts:
        setattr(person, field, read.text(field))
    for field in links:
        setattr(person, field, read.id(field))
    return person


def _read_category(read: _Reader, record: dict[str, Any]) -> Category | None:
    id_, name = read.id("id"), read.text("descricao", required=True)
    kind = record.get("tipo_categoria_id", 0)
    if kind not in (0, 1, 2):
        read.id("tipo_categoria_id", required=True)
        kind = 0
    if id_ is None or name is None:
        return None
    return Category(
        id_, name, read.text("cor") or "#607D8B", read.id("parent_id"), read.truth("ativo", default=True), kind
    )


def _read_classification(read: _Reader, _record: dict[str, Any]) -> Classification | None:
    id_, name = read.id("id"), read.text("nome", required=True)
    if id_ is None or name is None:
        return None
    return Classification(id_, name, read.id("tipo_classificacao_id") or 0, read.truth("ativo", default=True))


def _read_account(read: _Reader, _record: dict[str, Any]) -> Account | None:
    id_, name = read.id("id"), read.text("descricao", required=True)
    if id_ is None or name is None:
        return None
    return Account(
        id_,
        name.strip(),
        read.money("valor_saldo_inicial") or 0,
        read.day("data_saldo_inicial"),
        read.truth("permite_lancamento", default=True),
        read.id("banco_id"),
        ativo=read.truth("ativo", default=True),
    )


def _read_named(read: _Reader, record: dict[str, Any]) -> Named | None:
    id_, name = read.id("id"), read.text("nome" if "descricao" not in record else "descricao", required=True)
    if id_ is None or name is None:
        return None
    return Named(id_, name, read.id("parent_id"), read.truth("ativo", default=True))


READERS: Final[dict[str, tuple[str, Callable[[_Reader, dict[str, Any]], Any]]]] = {
    "cobrancas": ("cobrancas", _read_charge),
    "categorias": ("categorias", _read_category),
    "clientes": ("pessoas", _read_person),
    "fornecedores": ("pessoas", _read_person),
    "classificacoes": ("classificacoes", _read_classification),
    "contas": ("contas", _read_account),
    **{name: (collection, _read_named) for name, collection in NAMED.items()},
}
"""List -> collection of the books, reader of one record."""


def read_export(folder: Path, hoje: date) -> Books:
    """Make books of a folder of JSON lists.

    Raises:
        ExportError: with what is wrong and where; at most ten mistakes are told one by one.
    """
    if not folder.is_dir():
        raise ExportError(f"{folder.name} is no folder")
    mistakes: list[str] = []
    lists = _read_lists(folder, mistakes)
    entries, shape = _read_entries(lists["lancamentos"], mistakes)
    books = Books(hoje, nome=folder.resolve().name, empresa_id="exportada", forma_composto=shape)
    for name, (collection, reader) in READERS.items():
        records = getattr(books, collection)
        for place, record in lists[name]:
            made = reader(_Reader(record, place, mistakes), record)
            if made is not None:
                records.setdefault(made.id, made)
    if mistakes:
        more = f"\n  and {len(mistakes) - _TOLD} more" if len(mistakes) > _TOLD else ""
        raise ExportError(f"{folder.name} can't be served:\n  " + "\n  ".join(mistakes[:_TOLD]) + more)
    if not entries:
        raise ExportError(f"{folder.name} holds no lancamentos*.json with an entry")
    for entry in entries:
        if entry.conta_id is not None:
            books.contas.setdefault(entry.conta_id, Account(entry.conta_id, f"Conta {entry.conta_id}"))
    books.load_entries(entries)
    following = {"grupos": "grupo_id", "compostos": "lancamento_composto_id"}
    books.start_ids(
        **{kind: max((getattr(e, name) or 0 for e in entries), default=0) + 1 for kind, name in following.items()}
    )
    books.settle_ids()
    return books
