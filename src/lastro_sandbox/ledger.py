"""The company's books: all records, their ids, and the sorted indexes that make every page equally cheap.

``Books`` is the only place that adds, changes or removes an entry, because each change must keep the indexes right.
It knows nothing of HTTP, of parameters, or of what an answer looks like.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import date
from typing import Any

from lastro_sandbox.decisions import CompositeShape
from lastro_sandbox.indexes import Indexes
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

Watcher = Callable[[str, int], None]
"""Is told the kind and the id of each record that was added, changed or removed."""


class Books:
    """All records of one company.

    Args:
        hoje: the day on which the company lives; the sandbox never reads the machine's date.
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
        self.indexes = Indexes(self.lancamentos, items_are_rows=self.rows_are_members)
        self.watchers: list[Watcher] = []
        self._charges_in_order: list[Charge] | None = None
        self._charge_of: dict[int, Charge] | None = None
        self._balances: tuple[int, str, dict[int, int]] | None = None

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
        if kind == "cobrancas":
            self._charges_in_order = self._charge_of = None
        for watch in self.watchers:
            watch(kind, id_)

    def _tell_watchers(self, entry: Entry) -> None:
        """Tell that an entry, and with it the other members of its composite, will not be shown as before."""
        for watch in self.watchers:
            watch("lancamentos", entry.id)

    def add_entry(self, entry: Entry) -> Entry:
        """Put a new entry into the books."""
        self.lancamentos[entry.id] = entry
        if entry.lancamento_composto_id is not None:
            self._members[entry.lancamento_composto_id].append(entry.id)
        self.indexes.enter(entry)
        self.touch("lancamentos", entry.id)
        return entry

    def change_entry(self, entry: Entry, **changes: Any) -> Entry:
        """Set fields of an entry and keep every index right. ``id`` can't be changed."""
        self.indexes.leave(entry)
        self._tell_watchers(entry)
        if "lancamento_composto_id" in changes and entry.lancamento_composto_id is not None:
            self._members[entry.lancamento_composto_id].remove(entry.id)
        for name, value in changes.items():
            setattr(entry, name, value)
        if changes.get("lancamento_composto_id") is not None:
            self._members[changes["lancamento_composto_id"]].append(entry.id)
        self.indexes.enter(entry)
        self.touch("lancamentos", entry.id)
        return entry

    def remove_entry(self, entry: Entry) -> None:
        """Take one entry (one member, when it is part of a composite) out of the books."""
        self.indexes.leave(entry)
        self._tell_watchers(entry)
        if entry.lancamento_composto_id is not None:
            self._members[entry.lancamento_composto_id].remove(entry.id)
        del self.lancamentos[entry.id]
        self.excluidos.append((self.tick(), entry))
        self.touch("lancamentos", entry.id)

    def become(self, other: Books) -> None:
        """Take over everything from other books, which are not used any more. Whoever watches is not told."""
        version, watchers = self.version, self.watchers
        self.__dict__.update(other.__dict__)
        self.version, self.watchers = version + other.version + 1, watchers
        self.touched.clear()

    def load_entries(self, entries: Iterable[Entry]) -> None:
        """Put many entries in at once, before anything is indexed."""
        for entry in entries:
            self.lancamentos[entry.id] = entry
            if entry.lancamento_composto_id is not None:
                self._members[entry.lancamento_composto_id].append(entry.id)
        self.indexes.clear()
        self.version += 1

    # --- charges -----------------------------------------------------------------------------------------------

    def charges_in_order(self) -> list[Charge]:
        """Return all charges by due date, then id. Never change the returned list."""
        if self._charges_in_order is None or len(self._charges_in_order) != len(self.cobrancas):
            self._charges_in_order = sorted(self.cobrancas.values(), key=lambda one: (one.data_vencimento, one.id))
        return self._charges_in_order

    def charge_of(self, entry_id: int) -> Charge | None:
        """Return the charge that names an entry, a living one before a cancelled one."""
        if self._charge_of is None:
            order = sorted(self.cobrancas.values(), key=lambda charge: charge.data_cancelamento is None)
            self._charge_of = {id_: charge for charge in order for id_ in charge.lancamento_ids}
        return self._charge_of.get(entry_id)

    def balance(self, account: Account) -> int:
        """Return the balance of an account today in centavos: its opening balance and every payment since."""
        return self._add_balances()[account.id]

    def _add_balances(self) -> dict[int, int]:
        """Add up the balances of all accounts.

        An entry that only repeats the opening balance does not count, nor do items whose carrier holds their total:
        the balance is that of the amounts listed.
        """
        kept = self._balances
        if kept is not None and kept[:2] == (self.version, self.hoje) and kept[2].keys() == self.contas.keys():
            return kept[2]
        totals = {id_: account.valor_saldo_inicial for id_, account in self.contas.items()}
        since = {id_: account.data_saldo_inicial or "" for id_, account in self.contas.items()}
        carries_total = self.forma_composto == "T"
        for entry in self.lancamentos.values():
            paid, account = entry.data_pagamento, entry.conta_id
            if paid is None or account not in totals or not since[account] <= paid <= self.hoje:
                continue
            if entry.id not in self.saldos_lancados and not (carries_total and entry.item_de is not None):
                totals[account] += entry.valor
        self._balances = (self.version, self.hoje, totals)
        return totals

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
