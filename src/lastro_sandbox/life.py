"""Gives an invented company the life that a demonstration needs: what each report is for happens to it, on purpose.

A season, a payroll that somebody forgot to settle, a customer that pays late, one whom nobody has charged, a loan,
partners that draw, statements of the bank. No dice: the same books on the same day get the same life. What belongs to
the settings of that company (the map of its income statement, names, texts) is here too.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final

from lastro_sandbox.company import make_cnpj, make_cpf
from lastro_sandbox.company_builder import MAIN, MONTHS_AHEAD, YEARS_BACK, first_of_month
from lastro_sandbox.ledger import Books
from lastro_sandbox.model import Charge, Entry, Person
from lastro_sandbox.repeats import add_days

SEASON: Final = (80, 70, 85, 90, 95, 100, 100, 105, 110, 120, 125, 120)
"""Percent of the usual month that is sold from January to December."""
AHEAD: Final = (70, 45, 25, 10, 5)
"""Percent of it that is ordered already for the months after today's."""
SALE_DAYS: Final = (2, 5, 8, 12, 15, 19, 22, 26)
"""Days of the month on which the season sells, an equal part on each; due three weeks later."""
STOCK_PCT: Final = 55
"""What the goods cost, in percent of the month's sales; bought on the 4th, due on the 24th."""
LEAST_SALES: Final = 6_000_000
PAYROLL, LATE_SALE, DRAW = 1_850_000, 1_450_000, 800_000  # each month; the draw at least
LOAN, INSTALMENT, INSTALMENTS, LOAN_MONTHS_AGO = 24_000_000, 1_150_000, 24, 14
LATE_BY: Final = 38
UNCHARGED: Final = ((12, 480_000), (26, 365_000))
"""Days late and amounts of what nobody has charged."""
SALES_TEXT, PAYROLL_TEXT = "Venda da temporada", "Folha da equipe da loja"
_CUSHION: Final = 2_500_000  # an account never held less
_CHARGED_DAYS: Final = 180
_FORGOTTEN_DAYS: Final = 30
_MONTHS_GENERATED: Final = 2  # beyond the last month of the books
_CHARGES: Final = 5  # days before the due date on which a charge is issued

DRE_MAPA: Final = {
    10: "receita_bruta", 131: "financeiro", 20: "administrativas", 21: "custos_variaveis", 22: "pessoal",
    24: "comerciais", 25: "deducoes", 26: "financeiro", 30: "fora",
}  # fmt: skip
FORMAS: Final = {301: "Boleto", 302: "Cartão de crédito", 303: "Pix", 304: "Dinheiro", 305: "Transferência"}
RESPONSAVEIS: Final = ("Ana", "Bruno")
APROVADORES: Final = ("Carla", "Davi")
APROVACAO_MINIMA: Final = "5000.00"
TEXTOS: Final = {
    "1º aviso": "Olá, {cliente}. Consta em aberto {valor}, vencido em {vencimento}. Já pagou? Avise-nos: {link}",
    "Contato": "{cliente}, são {atraso} dias de atraso e {valor} em aberto com a {empresa}. Vamos combinar uma data?",
}


@dataclass(frozen=True, slots=True)
class Life:
    """What was added to the books.

    Args:
        mes_usual: centavos of the sales of a month of 100 percent.
        folha_esquecida: id of the payroll that was paid at the bank and not settled in the books.
        devedor: id of a customer with something overdue that was never paid.
        saldos: account -> day and balance of its statements in centavos, oldest first.
        orcamento: category -> budget of each month of today's year, centavos with the sign of its entries.
    """

    mes_usual: int
    folha_esquecida: int
    devedor: int
    saldos: dict[int, tuple[tuple[date, int], ...]]
    orcamento: dict[int, tuple[int, ...]]


def add_life(books: Books) -> Life:
    """Add the life of a demonstration to the books of an invented company, beyond its number of entries.

    Payables that the dice left open for more than 30 days, and instalments like them, are settled, so that what looks
    forgotten was forgotten on purpose. Opening balances rise until no account was ever overdrawn.

    Args:
        books: books of ``make_company``, not served yet.

    Returns:
        What was added.
    """
    return _Story(books).tell()


class _Story:
    def __init__(self, books: Books) -> None:
        self.books = books
        self.today = date.fromisoformat(books.hoje)
        self.yesterday = add_days(books.hoje, -1)

    def tell(self) -> Life:
        self._settle_old()
        self._add_loan()
        forgotten = self._add_payroll()
        self._generate_series()
        self._add_late_customer()
        debtor = self._add_uncharged()
        usual, draw = self._size_season()
        self._add_series(
            32, self._add_person("Sônia Guimarães Leitão", cliente=False, fisica=True), -draw, "Retirada de sócios", 10
        )
        self._add_season(usual)
        self._lift_openings()
        return Life(usual, forgotten.id, debtor, self._read_statements(forgotten), self._plan_budget())

    # --- what is booked ----------------------------------------------------------------------------------------

    def _put(self, category: int, person: int | None, amount: int, text: str, due: date, *, late: int = 0,
             competence: date | None = None, **more: int | bool | str | None) -> Entry:  # fmt: skip
        """Book an entry of the main account, paid so many days after its due date when that day has come."""
        paid = due + timedelta(days=late)
        return self.books.add_entry(
            Entry(
                id=self.books.new_id("lancamentos"),
                conta_id=MAIN,
                categoria_id=category,
                valor=amount,
                descricao=text,
                data_vencimento=due.isoformat(),
                data_pagamento=paid.isoformat() if paid <= self.today else None,
                data_competencia=(competence or due).isoformat(),
                pessoa_id=person,
                modified=f"{min(paid.isoformat(), self.yesterday)} 10:00:00",
                **more,  # type: ignore[arg-type]
            )
        )

    def _add_person(self, name: str, *, cliente: bool, fisica: bool = False) -> int:
        id_ = self.books.new_id("pessoas")
        self.books.pessoas[id_] = Person(
            id_,
            name,
            cliente=cliente,
            fornecedor=not cliente,
            documento=make_cpf(300_000_000 + id_) if fisica else make_cnpj(30_000_000 + id_),
            telefone=f"(11) 5556-{id_ % 10_000:04d}",
            email=f"financeiro{id_}@exemplo.com.br",
        )
        return id_

    def _month(self, number: int, day: int) -> date:
        """Return a day of a month counted from today's."""
        return first_of_month(self.today, number).replace(day=day)

    def _settle_old(self) -> None:
        limit = add_days(self.books.hoje, -_FORGOTTEN_DAYS)
        for entry in list(self.books.lancamentos.values()):
            if entry.data_pagamento is not None or entry.data_vencimento >= limit or entry.item_de is not None:
                continue
            members = self.books.members(entry)
            if entry.grupo_id is None and sum(member.valor for member in members) >= 0:
                continue
            for member in members:
                self.books.change_entry(member, data_pagamento=entry.data_vencimento)
            charge = self.books.charge_of(entry.id)
            if charge is not None and charge.data_cancelamento is None:
                _pass_on(charge, entry.data_vencimento)

    def _add_loan(self) -> None:
        bank = self._add_person("Banco Ipê S.A.", cliente=False)
        start = self._month(-LOAN_MONTHS_AGO, 8)
        self._put(31, bank, LOAN, "Empréstimo capital de giro", start, forma_pagamento_id=305, centro_custo_lucro_id=4)
        group = self.books.new_id("grupos")
        for number in range(INSTALMENTS):
            self._put(
                31, bank, -INSTALMENT, "Parcela do empréstimo", self._month(number + 1 - LOAN_MONTHS_AGO, 8),
                grupo_id=group, numero_repeticao=number + 1, total_repeticoes=INSTALMENTS, periodicidade="M1",
                forma_pagamento_id=305, centro_custo_lucro_id=4,
            )  # fmt: skip

    def _add_payroll(self) -> Entry:
        """Book a payroll each month, that of the month before last paid at the bank and left open in the books."""
        series = self._add_series(221, None, -PAYROLL, PAYROLL_TEXT, 5)
        return self.books.change_entry(series[12 * YEARS_BACK - 2], data_pagamento=None)

    def _generate_series(self) -> None:
        """Generate all endless series booked so far beyond the longest projection (the draws come later: theirs ends).

        So *Recorrentes* has one series that somebody still has to generate.
        """
        last: dict[int, Entry] = {}
        for entry in self.books.lancamentos.values():
            if entry.infinito and entry.grupo_id is not None:
                before = last.get(entry.grupo_id)
                if before is None or before.data_vencimento < entry.data_vencimento:
                    last[entry.grupo_id] = entry
        for entry in last.values():
            due = date.fromisoformat(entry.data_vencimento)
            for number in range(1, _MONTHS_GENERATED + 1):
                day = first_of_month(due, number).replace(day=due.day)
                self.books.add_entry(
                    replace(
                        entry,
                        id=self.books.new_id("lancamentos"),
                        data_vencimento=day.isoformat(),
                        data_pagamento=None,
                        data_competencia=first_of_month(day, 0).isoformat(),
                        numero_repeticao=(entry.numero_repeticao or 0) + number,
                    )
                )

    def _add_series(self, category: int, person: int | None, amount: int, text: str, day: int) -> list[Entry]:
        """Book an endless monthly series over all months of the books."""
        group = self.books.new_id("grupos")
        return [
            self._put(
                category, person, amount, text, self._month(number - 12 * YEARS_BACK, day), grupo_id=group,
                numero_repeticao=number + 1, total_repeticoes=None, periodicidade="M1", infinito=True,
                forma_pagamento_id=305, centro_custo_lucro_id=4,
            )
            for number in range(12 * YEARS_BACK + MONTHS_AHEAD)
        ]  # fmt: skip

    def _add_late_customer(self) -> None:
        customer = self._add_person("Construtora Jatobá Ltda", cliente=True)
        for number in range(-24, 2):
            due = self._month(number, 15)
            entry = self._put(113, customer, LATE_SALE, f"Obra Jatobá {number + 25}", due, late=LATE_BY,
                              competence=due - timedelta(days=28), forma_pagamento_id=301, centro_custo_lucro_id=3,
                              documento=f"NF-{9000 + number}", tipo_documento_id=1)  # fmt: skip
            self._charge(entry)

    def _add_uncharged(self) -> int:
        customer = self._add_person("Condomínio Edifício Aroeira", cliente=True)
        for days, amount in UNCHARGED:
            due = self.today - timedelta(days=days)
            self._put(122, customer, amount, "Manutenção do telhado", due, late=10_000, forma_pagamento_id=303,
                      competence=due - timedelta(days=15), centro_custo_lucro_id=1)  # fmt: skip
        return customer

    # --- the season --------------------------------------------------------------------------------------------

    def _size_season(self) -> tuple[int, int]:
        """Return the sales of a usual month, and what the partners draw in each.

        The sales carry all costs with a little left, and stand out in the books; most of what is left is drawn.
        """
        months = 12 * YEARS_BACK
        moved = [
            entry.valor
            for entry in self.books.lancamentos.values()
            if entry.lancamento_transferencia_id is None
            and entry.data_pagamento is not None
            and entry.data_pagamento <= self.books.hoje
        ]
        costs = DRAW - sum(moved) // months
        sales = sum(value for value in moved if value > 0) // months
        usual = max(LEAST_SALES, costs * 100 // (100 - STOCK_PCT - 4), sales * 6 // 10)
        usual = usual // 100_000 * 100_000
        left = usual * (100 - STOCK_PCT) // 100 - costs
        return usual, DRAW + max(0, left * 9 // 10) // 10_000 * 10_000

    def _add_season(self, usual: int) -> None:
        regular = sorted(id_ for id_, one in self.books.pessoas.items() if one.cliente and one.ativo)[:12]
        supplier = self._add_person("Distribuidora Serra Azul Ltda", cliente=False)
        sold = 0
        for number in range(-12 * YEARS_BACK, len(AHEAD) + 1):
            start = first_of_month(self.today, number)
            amount = plan_month(usual, start.month, number)
            part = amount // len(SALE_DAYS)
            for turn, day in enumerate(SALE_DAYS):
                value = part if turn else amount - part * (len(SALE_DAYS) - 1)
                made = start.replace(day=day)
                sold += 1
                category = 122 if turn == 0 else (111, 112, 113)[turn % 3]
                entry = self._put(category, regular[sold * 5 % len(regular)], value, f"{SALES_TEXT} {sold}",
                                  made + timedelta(days=21), late=sold % 3, competence=made,
                                  forma_pagamento_id=301, centro_custo_lucro_id=1 + turn % 3)  # fmt: skip
                self._charge(entry)
            self._put(211, supplier, -amount * STOCK_PCT // 100, "Reposição de estoque", start.replace(day=24),
                      competence=start.replace(day=4), forma_pagamento_id=301, centro_custo_lucro_id=3)  # fmt: skip

    def _charge(self, entry: Entry) -> None:
        """Issue the charge of an entry of the last six months or to come, in the state that its payment suggests."""
        today, due = self.books.hoje, entry.data_vencimento
        if due < add_days(today, -_CHARGED_DAYS) or entry.pessoa_id is None:
            return
        charge = Charge(
            id=self.books.new_id("cobrancas"),
            conta_id=MAIN,
            cliente_id=entry.pessoa_id,
            valor=entry.valor,
            data_vencimento=due,
            tipo_cobranca="boleto",
            forma_pagamento_id=301,
            estado="agendado" if due > add_days(today, _CHARGES) else "pendente",
            valor_taxa=-350,
            lancamento_ids=(entry.id,),
            email=self.books.pessoas[entry.pessoa_id].email,
        )
        charge.cobranca_hash = f"{charge.id:020x}"
        self.books.cobrancas[charge.id] = charge
        if entry.data_pagamento is not None:
            _pass_on(charge, entry.data_pagamento, today)

    # --- the bank ----------------------------------------------------------------------------------------------

    def _list_payments(self, account: int) -> list[tuple[str, int]]:
        """Return day and amount of what moved an account since its first day, up to today, by day."""
        since = self.books.contas[account].data_saldo_inicial or ""
        total = self.books.forma_composto == "T"
        return sorted(
            (entry.data_pagamento, entry.valor)
            for entry in self.books.lancamentos.values()
            if entry.conta_id == account
            and entry.data_pagamento is not None
            and since <= entry.data_pagamento <= self.books.hoje
            and not (total and entry.item_de is not None)
        )

    def _sum_on_its_way(self, account: int, day: str) -> int:
        """Add what an account's customers had paid by a day and the bank had not received, composites as a whole."""
        late = {
            entry_id
            for charge in self.books.cobrancas.values()
            if charge.data_cancelamento is None and charge.valor_pago is not None
            if (charge.data_transferido or charge.data_a_transferir or "9") > day
            for entry_id in charge.lancamento_ids
        }
        return sum(
            entry.valor
            for entry in self.books.lancamentos.values()
            if entry.conta_id == account
            and (entry.data_pagamento or "9") <= day
            and any(member.id in late for member in self.books.members(entry))
        )

    def _lift_openings(self) -> None:
        for id_, account in self.books.contas.items():
            days: dict[str, int] = defaultdict(int)
            for day, amount in self._list_payments(id_):
                days[day] += amount
            balance = lowest = account.valor_saldo_inicial
            for amount in days.values():
                balance += amount
                lowest = min(lowest, balance)
            account.valor_saldo_inicial += max(0, _CUSHION - lowest)

    def _read_statements(self, forgotten: Entry) -> dict[int, tuple[tuple[date, int], ...]]:
        """Return statements of two month ends: before the forgotten payroll left the bank, and after it.

        What customers have paid and the bank has not received yet is in no statement.
        """
        ends = [first_of_month(self.today, months) - timedelta(days=1) for months in (-2, 0)]
        statements = {}
        for id_, account in self.books.contas.items():
            payments = self._list_payments(id_)
            read = []
            for day in ends:
                balance = account.valor_saldo_inicial + sum(v for paid, v in payments if paid <= day.isoformat())
                balance -= self._sum_on_its_way(id_, day.isoformat())
                if id_ == forgotten.conta_id and forgotten.data_vencimento <= day.isoformat():
                    balance += forgotten.valor
                read.append((day, balance))
            statements[id_] = tuple(read)
        return statements

    def _plan_budget(self) -> dict[int, tuple[int, ...]]:
        """Plan the year as many do: the year before and five percent more, to the hundred, by line of the DRE."""
        parents = {id_: category.parent_id for id_, category in self.books.categorias.items()}
        sums: dict[int, list[int]] = defaultdict(lambda: [0] * 12)
        for entry in self.books.lancamentos.values():
            key = entry.categoria_id
            while key is not None and key not in DRE_MAPA:
                key = parents.get(key)
            day = entry.data_competencia or ""
            if key is not None and DRE_MAPA[key] != "fora" and day.startswith(str(self.today.year - 1)):
                sums[key][int(day[5:7]) - 1] += entry.valor
        return {key: tuple(amount * 105 // 1_000_000 * 10_000 for amount in sums[key]) for key in sorted(sums)}


def plan_month(usual: int, month: int, ahead: int) -> int:
    """Return what the season sells in a month: the part of it that is ordered so many months ahead.

    >>> plan_month(6_000_000, 11, 0), plan_month(6_000_000, 2, -9), plan_month(6_000_000, 2, 3)
    (7500000, 4200000, 1050000)
    """
    whole = usual * SEASON[month - 1] // 100
    return whole if ahead <= 0 else whole * AHEAD[ahead - 1] // 100


def _pass_on(charge: Charge, paid: str, today: str | None = None) -> None:
    """Settle a charge: one day to transfer, two to arrive; without a day all of that is long over."""
    charge.valor_pago = charge.valor
    charge.data_a_transferir = add_days(paid, 1)
    charge.estado = "cliente_pagou"
    if today is None or charge.data_a_transferir <= today:
        charge.data_transferindo, charge.estado = charge.data_a_transferir, "transferindo"
    if today is None or add_days(paid, 2) <= today:
        charge.data_transferido, charge.estado = add_days(paid, 2), "transferido"
