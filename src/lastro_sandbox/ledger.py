"""The company's books: all records, their ids, and the sorted indexes that make every page equally cheap.

``Books`` is the only place that adds, changes or removes an entry, because each change must keep the indexes right.
It knows nothing of HTTP, of parameters, or of what an answer looks like.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import date
from typing import Any, Final, Literal

from lastro_sandbox.decisions import CompositeShape
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

Regime = Literal["caixa", "competencia"]
IndexField = Literal["conta_id", "pessoa_id"]
Key = tuple[str, int]

_INDEX_FIELDS: Final[tuple[IndexField, ...]] = ("conta_id", "pessoa_id")


def regime_date(entry: Entry, regime: Regime) -> str:
    """Return the date by which an entry is listed.

    ``caixa``: the payment date of a settled entry, the due date of an open one. ``competencia``: the competence date;
    an entry without one stands at its due date.
    """
    if regime == "caixa":
        return entry.data_pagamento or entry.data_vencimento
    return entry.data_competencia or entry.data_vencimento


class Books:
    """All records of one company.

    Args:
        hoje: the day on which the company lives; the sandbox never reads the machine's date.
        nome: name of the company.
        empresa_id: identifier proposed for a settings file.
        forma_composto: how composites are shown: ``A`` and ``T`` nested in the carrying entry, ``B`` as rows, ``C``
            rows and nested in the carrier, ``D`` every row nesting its siblings. (``T`` differs from ``A`` in the
            data: the carrier's amount is the total of its items.)
    """

    def __init__(
        self, hoje: date, *, nome: str = "Empresa", empresa_id: str = "empresa", forma_composto: CompositeShape = "A"
    ) -> None:
        self.hoje = hoje.isoformat()
        self.nome = nome
        self.empresa_id = empresa_id
        self.forma_composto: CompositeShape = forma_composto
        self.contas: dict[int, Account] = {}
        self.categorias: dict[int, Category] = {}
        self.pessoas: dict[int, Person] = {}
        self.classificacoes: dict[int, Classification] = {}
        self.cobrancas: dict[int, Charge] = {}
        self.anexos: dict[int, Attachment] = {}
        self.centros: dict[int, Named] = {}
        self.formas: dict[int, Named] = {}
        self.tags: dict[int, Named] = {}
        self.tipos_documento: dict[int, Named] = {}
        self.lancamentos: dict[int, Entry] = {}
        self.version = 0
        self.seed = 1
        self.touched: set[tuple[str, int]] = set()
        self.ticks = 0
        self.excluidos: list[tuple[str, Entry]] = []
        self.emails: list[dict[str, str]] = []
        self.undressed = False  # freshly invented: what only the dialect ``observado`` has is still to come
        self.saldos_lancados: frozenset[int] = frozenset()  # entries that repeat an opening balance
        self._members: dict[int, list[int]] = defaultdict(list)
        self._next_ids: dict[str, int] = {}
        self._indexes: dict[tuple[Regime, IndexField], dict[int, list[Key]]] = {}
        self._charge_order: tuple[int, list[int]] = (-1, [])

    # --- ids ---------------------------------------------------------------------------------------------------

    def new_id(self, kind: str) -> int:
        """Return an id never used before in the collection ``kind``; ids of deleted records are not given again."""
        following = self._next_ids.get(kind)
        if following is None:
            collection: dict[int, Any] = getattr(self, kind, {})
            following = max(collection, default=0) + 1
        self._next_ids[kind] = following + 1
        return following

    @property
    def next_ids(self) -> dict[str, int]:
        """The ids that will be given next, by kind."""
        return dict(self._next_ids)

    def settle_ids(self) -> None:
        """Fix the next id of every collection now, so that an id deleted later is never given again."""
        for kind in ("lancamentos", "cobrancas", "categorias", "pessoas", "classificacoes", "contas", "anexos"):
            self._next_ids.setdefault(kind, max(getattr(self, kind), default=0) + 1)

    def start_ids(self, **following: int) -> None:
        """Say which id each kind gives next; kinds without a collection of their own (grupos, compostos) need it."""
        self._next_ids.update(following)

    # --- entries -----------------------------------------------------------------------------------------------

    @property
    def rows_are_members(self) -> bool:
        """Tell whether items of composites are rows of the list of their own."""
        return self.forma_composto in ("B", "C", "D")

    def is_row(self, entry: Entry) -> bool:
        """Tell whether an entry is listed as a row."""
        return entry.item_de is None or self.rows_are_members

    def members(self, entry: Entry) -> list[Entry]:
        """Return all members of the composite of ``entry`` in order of id; the entry alone when it is simple."""
        if entry.lancamento_composto_id is None:
            return [entry]
        return [self.lancamentos[member] for member in sorted(self._members[entry.lancamento_composto_id])]

    def composite(self, composto_id: int) -> list[Entry]:
        """Return the members of a composite in order of id; nothing for an unknown one."""
        return [self.lancamentos[member] for member in sorted(self._members.get(composto_id, ()))]

    def siblings(self, entry: Entry) -> list[Entry]:
        """Return what belongs to the composite of ``entry`` besides itself, as the shape shows it.

        Nested shapes (A, T): the items that the entry carries. Shapes with rows: all other members.
        """
        others = [member for member in self.members(entry) if member.id != entry.id]
        if self.rows_are_members:
            return others
        return [member for member in others if member.item_de == entry.id]

    def group(self, grupo_id: int) -> list[Entry]:
        """Return the carrying entries of a repetition group in order of their number."""
        found = [e for e in self.lancamentos.values() if e.grupo_id == grupo_id and e.item_de is None]
        return sorted(found, key=lambda entry: (entry.numero_repeticao or 0, entry.id))

    def tick(self) -> str:
        """Return the moment of a change: the company's day and a time that moves one second with every change."""
        self.ticks += 1
        seconds = min(12 * 3600 + self.ticks, 24 * 3600 - 1)
        return f"{self.hoje} {seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"

    def touch(self, kind: str, id_: int) -> None:
        """Note that a record was added, changed or removed, so that it is stored and nothing stale is listed."""
        self.touched.add((kind, id_))
        self.version += 1

    def add_entry(self, entry: Entry) -> Entry:
        """Put a new entry into the books."""
        self.lancamentos[entry.id] = entry
        if entry.lancamento_composto_id is not None:
            self._members[entry.lancamento_composto_id].append(entry.id)
        self._enter(entry)
        self.touch("lancamentos", entry.id)
        return entry

    def change_entry(self, entry: Entry, **changes: Any) -> Entry:
        """Set fields of an entry and keep every index right. ``id`` can't be changed."""
        self._leave(entry)
        if "lancamento_composto_id" in changes and entry.lancamento_composto_id is not None:
            self._members[entry.lancamento_composto_id].remove(entry.id)
        for name, value in changes.items():
            setattr(entry, name, value)
        if changes.get("lancamento_composto_id") is not None:
            self._members[changes["lancamento_composto_id"]].append(entry.id)
        self._enter(entry)
        self.touch("lancamentos", entry.id)
        return entry

    def remove_entry(self, entry: Entry) -> None:
        """Take one entry (one member, when it is part of a composite) out of the books."""
        self._leave(entry)
        if entry.lancamento_composto_id is not None:
            self._members[entry.lancamento_composto_id].remove(entry.id)
        del self.lancamentos[entry.id]
        self.excluidos.append((self.tick(), entry))
        self.touch("lancamentos", entry.id)

    def load_entries(self, entries: Iterable[Entry]) -> None:
        """Put many entries in at once, before anything is indexed."""
        for entry in entries:
            self.lancamentos[entry.id] = entry
            if entry.lancamento_composto_id is not None:
                self._members[entry.lancamento_composto_id].append(entry.id)
        self._indexes.clear()
        self.version += 1

    # --- indexes -----------------------------------------------------------------------------------------------

    def index(self, regime: Regime, field: IndexField, value: int) -> list[Key]:
        """Return the rows of one account or person as sorted (date, id) pairs. Never change the returned list."""
        built = self._indexes.get((regime, field))
        if built is None:
            built = self._build(regime, field)
        return built.get(value, [])

    def index_of_all_accounts(self, regime: Regime) -> list[Key]:
        """Return the rows of all accounts as sorted (date, id) pairs."""
        self.index(regime, "conta_id", 0)
        return sorted(key for keys in self._indexes[(regime, "conta_id")].values() for key in keys)

    def warm(self) -> None:
        """Build the index of the default listing, so that the first page costs what every page costs."""
        self.index("caixa", "conta_id", 0)

    def _build(self, regime: Regime, field: IndexField) -> dict[int, list[Key]]:
        built: dict[int, list[Key]] = defaultdict(list)
        for entry in self.lancamentos.values():
            value = getattr(entry, field)
            if value is not None and self.is_row(entry):
                built[value].append((regime_date(entry, regime), entry.id))
        for keys in built.values():
            keys.sort()
        self._indexes[(regime, field)] = built
        return built

    def _positions(self, entry: Entry) -> Iterator[tuple[dict[int, list[Key]], int, Key]]:
        if not self.is_row(entry):
            return
        for (regime, field), built in self._indexes.items():
            value = getattr(entry, field)
            if value is not None:
                yield built, value, (regime_date(entry, regime), entry.id)

    def _enter(self, entry: Entry) -> None:
        for built, value, key in self._positions(entry):
            insort(built.setdefault(value, []), key)

    def _leave(self, entry: Entry) -> None:
        for built, value, key in self._positions(entry):
            keys = built[value]
            del keys[bisect_left(keys, key)]

    # --- charges -----------------------------------------------------------------------------------------------

    def charges_in_order(self) -> list[Charge]:
        """Return all charges by due date, then id."""
        version, ids = self._charge_order
        if version != self.version or len(ids) != len(self.cobrancas):
            ids = sorted(self.cobrancas, key=lambda id_: (self.cobrancas[id_].data_vencimento, id_))
            self._charge_order = (self.version, ids)
        return [self.cobrancas[id_] for id_ in ids]

    def balance(self, account: Account) -> int:
        """Return the balance of an account today in centavos: its opening balance and every payment since.

        An entry that only repeats the opening balance does not count, nor do items whose carrier holds their total:
        the balance is that of the amounts listed.
        """
        since = account.data_saldo_inicial or ""
        carries_total = self.forma_composto == "T"
        return account.valor_saldo_inicial + sum(
            entry.valor
            for entry in self.lancamentos.values()
            if entry.conta_id == account.id
            and entry.data_pagamento is not None
            and since <= entry.data_pagamento <= self.hoje
            and entry.id not in self.saldos_lancados
            and not (carries_total and entry.item_de is not None)
        )

    # --- description -------------------------------------------------------------------------------------------

    def describe_accounts(self) -> list[dict[str, Any]]:
        """Describe the accounts for a settings file.

        Returns:
            One dict per account by id: ``conta_id`` int, ``descricao`` text, ``valor_saldo_inicial`` decimal text,
            ``data_saldo_inicial`` ISO text or None.
        """
        return [
            {
                "conta_id": account.id,
                "descricao": account.descricao,
                "valor_saldo_inicial": format_money(account.valor_saldo_inicial),
                "data_saldo_inicial": account.data_saldo_inicial,
            }
            for account in sorted(self.contas.values(), key=lambda account: account.id)
        ]
