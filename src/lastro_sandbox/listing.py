"""Selects the rows of ``GET /v1/lancamentos`` and ``GET /v1/cobrancas``.

The unfiltered list of an account is a slice of a maintained index. Any other selection is computed once per state of
the books and kept, so that paging through it costs the same at every offset.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter

from lastro_sandbox.decisions import ENTRY_TYPES, LIMIT_DEFAULT, LIMIT_MAX, Dialect
from lastro_sandbox.indexes import Key, Regime, regime_date
from lastro_sandbox.ledger import Books
from lastro_sandbox.model import Charge, Entry
from lastro_sandbox.params import Params
from lastro_sandbox.search import find_text

_KEPT_SELECTIONS = 32


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """What one listing of entries asks for. Every filter that is not None must hold."""

    conta_id: int | None = None
    todas_as_contas: bool = False
    pessoa_id: int | None = None
    grupo_id: int | None = None
    lancamento_composto_id: int | None = None
    categoria_id: int | None = None
    centro_custo_lucro_id: int | None = None
    forma_pagamento_id: int | None = None
    tipo_documento_id: int | None = None
    documento: str | None = None
    tags_any: tuple[int, ...] = ()
    tags_all: tuple[int, ...] = ()
    data_inicio: str | None = None
    data_fim: str | None = None
    regime: Regime = "caixa"
    busca: str | None = None
    tipo: str | None = None

    @property
    def is_plain(self) -> bool:
        """Tell whether only an account or a person, a regime and a range of dates are asked for."""
        allowed = {"conta_id", "pessoa_id", "regime", "data_inicio", "data_fim"}
        one_owner = self.conta_id is None or self.pessoa_id is None
        return one_owner and all(
            getattr(self, field.name) == field.default for field in fields(self) if field.name not in allowed
        )


@dataclass(frozen=True, slots=True)
class Window:
    """One page of a listing: rows ``start`` to ``start + limit`` of the selection, in the view asked for."""

    start: int = 0
    limit: int = LIMIT_DEFAULT
    view: str | None = None


def read_entry_filter(params: Params, dialeto: Dialect) -> tuple[EntryFilter, Window]:
    """Read the query of a listing of entries.

    Raises:
        Refused: 422 naming every wrong parameter, among them a missing ``conta_id`` without ``pessoa_id``.
    """
    if params.raw("conta_id") is None and params.raw("pessoa_id") is None:
        params.fail("conta_id", "é obrigatório quando pessoa_id não é informado")
    tags_any, tags_all = _read_tags(params)
    regime = params.choice("regime", ("caixa", "competencia"))
    inicio, fim = params.date("data_inicio"), params.date("data_fim")
    if inicio is None or fim is None:
        inicio = fim = None  # the document: both must be given for the filter to work
    every_account = params.raw("conta_id") == "all"  # undocumented, but programs ask for it
    found = EntryFilter(
        conta_id=None if every_account else params.integer("conta_id"),
        todas_as_contas=every_account,
        pessoa_id=params.integer("pessoa_id"),
        grupo_id=params.integer("grupo_id"),
        lancamento_composto_id=params.integer("lancamento_composto_id"),
        categoria_id=params.integer("categoria_id"),
        centro_custo_lucro_id=params.integer("centro_custo_lucro_id"),
        forma_pagamento_id=params.integer("forma_pagamento_id"),
        tipo_documento_id=params.integer("tipo_documento_id"),
        documento=params.raw("documento"),
        tags_any=tags_any,
        tags_all=tags_all,
        data_inicio=inicio,
        data_fim=fim,
        regime="competencia" if regime == "competencia" else "caixa",
        busca=params.raw("busca"),
        tipo=_read_types(params) if dialeto == "observado" else params.choice("tipo", ENTRY_TYPES),
    )
    window = Window(
        start=params.integer("start") or 0,
        limit=min(params.integer("limit", minimum=1) or LIMIT_DEFAULT, LIMIT_MAX),
        view=params.one_of("tipo_view", ("list", "count")),
    )
    params.check()
    return found, window


def _read_types(params: Params) -> str | None:
    """Read ``tipo`` as several values joined with ``|``, as programs send them."""
    text = params.typed("tipo")
    if text is None or all(part in ENTRY_TYPES for part in text.split("|")):
        return text
    params.fail("tipo", f"deve ser um ou vários destes, separados por |: {', '.join(ENTRY_TYPES)}")
    return None


def _read_tags(params: Params) -> tuple[tuple[int, ...], tuple[int, ...]]:
    text = params.raw("tag_id")
    if text is None:
        return (), ()
    separator = "&" if "&" in text else "|"
    parts = [part.strip() for part in text.split(separator)]
    if not all(part.isascii() and part.isdigit() and len(part) < 16 for part in parts):
        params.fail("tag_id", "deve ser 1, 1|2|3 ou 1&2&3")
        return (), ()
    ids = tuple(sorted({int(part) for part in parts}))
    return ((), ids) if separator == "&" else (ids, ())


class Listings:
    """Selections of one set of books, kept until the books or their day change."""

    def __init__(self, books: Books) -> None:
        self._books = books
        self._kept: OrderedDict[tuple[EntryFilter, int, str], Sequence[Key]] = OrderedDict()

    def clear(self) -> None:
        """Forget everything, after the books became others."""
        self._kept.clear()

    def select(self, asked: EntryFilter) -> Sequence[Key]:
        """Return the (date, id) keys of all matching rows in listing order."""
        books = self._books
        key = (asked, books.version, books.hoje)
        kept = self._kept.get(key)
        if kept is not None:
            return kept
        base = self._base(asked)
        if asked.is_plain and asked.data_inicio is None:
            return base
        found = self._kept[key] = self._compute(asked, base)
        while len(self._kept) > _KEPT_SELECTIONS:
            self._kept.popitem(last=False)
        return found

    def page(self, asked: EntryFilter, window: Window) -> list[Entry]:
        """Return the entries of one page."""
        keys = self.select(asked)[window.start : window.start + window.limit]
        return [self._books.lancamentos[id_] for _, id_ in keys]

    def _base(self, asked: EntryFilter) -> list[Key]:
        indexes = self._books.indexes
        if asked.todas_as_contas:
            return indexes.rows_of_all_accounts(asked.regime)
        if asked.conta_id is not None:
            return indexes.rows_of(asked.regime, "conta_id", asked.conta_id)
        return indexes.rows_of(asked.regime, "pessoa_id", asked.pessoa_id or 0)

    def _compute(self, asked: EntryFilter, base: list[Key]) -> list[Key]:
        tests, entries = self._tests(asked), self._books.lancamentos
        keys: Sequence[Key] = base
        if asked.busca is not None:
            keys = self._keys_of(find_text(self._books, asked.busca), base, asked.regime)
        if asked.data_inicio is not None and asked.data_fim is not None:
            first = bisect_left(keys, (asked.data_inicio, -1))
            keys = keys[first : bisect_left(keys, (asked.data_fim + "~", -1))]
        if not tests:
            return list(keys)
        return [key for key in keys if key[1] in entries and all(test(entries[key[1]]) for test in tests)]

    def _keys_of(self, ids: set[int], base: list[Key], regime: Regime) -> list[Key]:
        """Return those of the sorted keys whose id is among some ids: few are looked up, many are gone through."""
        if len(ids) * 8 > len(base):
            return [key for key in base if key[1] in ids]
        entries = self._books.lancamentos
        found = sorted((regime_date(entries[id_], regime), id_) for id_ in ids if id_ in entries)
        places = ((key, bisect_left(base, key)) for key in found)
        return [key for key, place in places if place < len(base) and base[place] == key]

    def _tests(self, asked: EntryFilter) -> list[Callable[[Entry], bool]]:
        tests: list[Callable[[Entry], bool]] = []
        for name in ("conta_id", "grupo_id", "lancamento_composto_id", "forma_pagamento_id", "tipo_documento_id"):
            wanted = getattr(asked, name)
            if wanted is not None:
                tests.append(lambda e, name=name, wanted=wanted: getattr(e, name) == wanted)  # type: ignore[misc]
        for name in ("pessoa_id", "categoria_id", "centro_custo_lucro_id"):
            wanted = getattr(asked, name)
            if wanted is not None and not (
                name == "pessoa_id" and asked.conta_id is None and not asked.todas_as_contas
            ):
                tests.append(self._shown_test(name, wanted))
        if asked.documento is not None:
            tests.append(lambda e: e.documento == asked.documento)
        if asked.tags_any:
            any_of = frozenset(asked.tags_any)
            tests.append(lambda e: not any_of.isdisjoint(e.tags))
        if asked.tags_all:
            all_of = frozenset(asked.tags_all)
            tests.append(lambda e: all_of.issubset(e.tags))
        if asked.data_inicio is not None and asked.regime == "competencia":
            tests.append(lambda e: e.data_competencia is not None)
        if asked.tipo is not None:
            tests.append(_types_test(asked.tipo.split("|"), self._books.hoje))
        return tests

    def _shown_test(self, name: str, wanted: int) -> Callable[[Entry], bool]:
        """Return the test that an entry, or an item that is visible only inside it, has a value."""
        books, value = self._books, attrgetter(name)

        def has_value(entry: Entry) -> bool:
            if value(entry) == wanted:
                return True
            if books.rows_are_members or entry.lancamento_composto_id is None:
                return False
            return any(member.item_de == entry.id and value(member) == wanted for member in books.members(entry))

        return has_value


def _types_test(types: Sequence[str], hoje: str) -> Callable[[Entry], bool]:
    """Return the test for several values of ``tipo``: any of them holds, and ``DT`` always takes transfers out."""
    tests = [_type_test(tipo, hoje) for tipo in types if tipo != "DT"]
    if "DT" not in types:
        return tests[0] if len(tests) == 1 else lambda e: any(test(e) for test in tests)
    without = _type_test("DT", hoje)
    return lambda e: without(e) and (not tests or any(test(e) for test in tests))


def _type_test(tipo: str, hoje: str) -> Callable[[Entry], bool]:
    """Return the test for one value of ``tipo``; overdue means open and due before today."""
    if tipo == "DT":
        return lambda e: e.lancamento_transferencia_id is None
    sign = -1 if "P" in tipo else 1

    def has_sign(entry: Entry) -> bool:
        return entry.valor * sign > 0

    if tipo in ("P", "R"):
        return has_sign
    if tipo in ("LP", "LR"):
        return lambda e: has_sign(e) and e.data_pagamento is not None
    return lambda e: has_sign(e) and e.data_pagamento is None and e.data_vencimento < hoje


def select_charges(books: Books, params: Params) -> tuple[list[Charge], Window]:
    """Read the query of a listing of charges and return all matches in order, with the window asked for.

    Raises:
        Refused: 422 when none of the six filters is given or a value is wrong.
    """
    required = ("conta_id", "cliente_id", "cobranca_hash", "lancamento_composto_id", "data_inicio", "data_fim")
    if all(params.raw(name) is None for name in required):
        params.fail("filtros", f"informe ao menos um destes: {', '.join(required)}")
    conta, cliente = params.integer("conta_id"), params.integer("cliente_id")
    composto, hash_ = params.integer("lancamento_composto_id"), params.raw("cobranca_hash")
    inicio, fim = params.date("data_inicio"), params.date("data_fim")
    status = params.choice("status", ("agendado", "pendente", "cliente_pagou", "transferindo", "transferido"))
    window = Window(start=params.integer("start") or 0, view=params.one_of("tipo_view", ("all", "count")))
    params.check()
    found = [
        charge
        for charge in books.charges_in_order()
        if (conta is None or charge.conta_id == conta)
        and (cliente is None or charge.cliente_id == cliente)
        and (composto is None or charge.lancamento_composto_id == composto)
        and (hash_ is None or charge.cobranca_hash == hash_)
        and (inicio is None or charge.data_vencimento >= inicio)
        and (fim is None or charge.data_vencimento <= fim)
        and (status is None or (charge.estado == status and charge.data_cancelamento is None))
    ]
    return found, window
