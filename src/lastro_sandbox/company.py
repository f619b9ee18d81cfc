"""Invents a plausible company from a seed: the same books for the same (seed, number of entries, today), always.

Days are counted as integers from the first day of the books and turned to text by one table, amounts are centavos, and
entries are made once and loaded in bulk, so that 200,000 of them take seconds. How the amounts arise says nothing about
a real company; what matters is that everything the document knows occurs, in believable proportions.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from dataclasses import dataclass, field
from datetime import date, timedelta

from lastro_sandbox import company_names as names
from lastro_sandbox.decisions import CompositeShape
from lastro_sandbox.ledger import Books
from lastro_sandbox.model import Account, Category, Charge, Classification, Entry, Named, Person
from lastro_sandbox.render import CITIES

YEARS_BACK = 3
MONTHS_AHEAD = 6
_MARGIN = 200  # days before the books begin that a competence date may reach
MAIN, SECOND, SAVINGS = 101, 102, 103

_SALES = ((111, 40), (112, 25), (113, 20), (121, 9), (122, 6))
_COSTS = ((211, 52), (212, 12), (223, 5), (241, 9), (242, 6), (251, 7), (252, 4), (262, 3), (20, 2))


def _first_of_month(day: date, months: int) -> date:
    index = day.year * 12 + day.month - 1 + months
    return date(index // 12, index % 12 + 1, 1)


def _check_digits(base: str, weights: tuple[int, ...]) -> str:
    """Return the two check digits of a CPF or CNPJ: the weights of the second digit; the first drops the first."""
    digits = base
    for used in (weights[1:], weights):
        rest = sum(int(d) * w for d, w in zip(digits, used, strict=True)) % 11
        digits += "0" if rest < 2 else str(11 - rest)
    return digits[len(base) :]


def make_cnpj(number: int) -> str:
    """Return a CNPJ with right check digits for an eight-digit base."""
    base = f"{number:08d}0001"
    return base + _check_digits(base, (6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2))


def make_cpf(number: int) -> str:
    """Return a CPF with right check digits for a nine-digit base."""
    base = f"{number:09d}"
    return base + _check_digits(base, (11, 10, 9, 8, 7, 6, 5, 4, 3, 2))


@dataclass(slots=True)
class _Builder:
    """The state of one invention. Days are indexes into ``iso``; ``today`` is the index of the company's day."""

    rng: random.Random
    total: int
    first: int
    today: int
    last: int
    iso: list[str]
    origin: date
    customers: list[int] = field(default_factory=list)
    suppliers: list[int] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    charged: list[Entry] = field(default_factory=list)
    group: int = 7000
    composite: int = 50000

    @property
    def room(self) -> int:
        """How many entries are still wanted."""
        return self.total - len(self.entries)

    def month_day(self, month_index: int, day: int) -> int:
        """Return the day index of a day (at most 28) of the n-th month of the books."""
        return (_first_of_month(self.origin, month_index) - self.origin).days + _MARGIN + day - 1

    def pick(self, weighted: tuple[tuple[int, int], ...]) -> int:
        """Pick a category by weight."""
        return self.rng.choices([c for c, _ in weighted], [w for _, w in weighted])[0]

    def amount(self, low: int, high: int) -> int:
        """Return centavos between bounds, small ones more often."""
        return low + int((high - low) * self.rng.random() ** 3)

    def pay_day(self, due: int, *, receivable: bool) -> int | None:
        """Return when an item due on a day was paid: None while open; now and then forgotten, so overdue."""
        rng = self.rng
        if due > self.today:
            if rng.random() < 0.01:
                return self.today - rng.randrange(5)  # paid ahead of time
            return None
        forgotten = 0.08 if self.today - due < 150 else 0.004
        if rng.random() < forgotten * (1.6 if receivable else 0.6):
            return None
        delay = rng.choice((0, 0, 0, 0, 1, 1, 2, 3, 7, 18, -2, -1)) if receivable else rng.choice((0, 0, 0, 0, 0, 1, 3))
        paid = due + delay
        return paid if self.first <= paid <= self.today else max(due, self.first)

    def put(self, account: int, category: int | None, person: int | None, amount: int, text: str, due: int,
            paid: int | None, competence: int | None) -> Entry:  # fmt: skip
        """Make one entry and keep it."""
        rng = self.rng
        # Yesterday at the latest: what is stamped with today looks to a careful reader as if it changed while he reads.
        touched = min(paid if paid is not None else due, self.today - 1)
        entry = Entry(
            id=len(self.entries) + 1001,
            conta_id=account,
            categoria_id=category,
            valor=amount,
            descricao=text,
            data_vencimento=self.iso[due],
            data_pagamento=None if paid is None else self.iso[paid],
            data_competencia=None if competence is None else self.iso[competence],
            pessoa_id=person,
            modified=f"{self.iso[touched]} {8 + rng.randrange(10):02d}:{rng.randrange(60):02d}:{rng.randrange(60):02d}",
        )
        self.entries.append(entry)
        return entry


def make_company(
    seed: int = 1, lancamentos: int = 5000, hoje: date | None = None, forma_composto: CompositeShape = "A"
) -> Books:
    """Invent the books of a Brazilian trader.

    Args:
        seed: different seeds give different companies.
        lancamentos: exact number of entries, items of composites and both legs of transfers included.
        hoje: the company's day, by default 2026-03-16 (the machine's clock is never read).
        forma_composto: how composites are shown, see ``Books``.

    Returns:
        Books with three accounts (101 and 102 with entries, 103 moved only by transfers), about three years of
        history and up to six months ahead.

    Raises:
        ValueError: fewer than zero entries.
    """
    if lancamentos < 0:
        raise ValueError("lancamentos must not be negative")
    day = hoje or date(2026, 3, 16)
    origin = _first_of_month(day, -12 * YEARS_BACK)
    last = _first_of_month(day, MONTHS_AHEAD)
    start = origin - timedelta(days=_MARGIN)
    iso = [(start + timedelta(days=n)).isoformat() for n in range((last - start).days + 80)]
    builder = _Builder(
        rng=random.Random(seed),  # noqa: S311 - invented books, not secrets
        total=lancamentos,
        first=_MARGIN,
        today=(day - start).days,
        last=(last - start).days,
        iso=iso,
        origin=origin,
    )
    books = Books(day, nome="Comercial Ipê Ltda", empresa_id="ipe", forma_composto=forma_composto)
    books.seed = seed
    _add_references(books, origin)
    _add_people(books, builder)
    _add_endless_series(builder)
    _add_payroll(builder)
    _add_trade(builder)
    books.load_entries(builder.entries)
    _add_charges(books, builder)
    if forma_composto == "T":
        _turn_to_totals(books)
    books.start_ids(grupos=builder.group + 1, compostos=builder.composite + 1)
    return books


def _add_references(books: Books, origin: date) -> None:
    begin = origin.isoformat()
    books.contas = {
        MAIN: Account(MAIN, "Banco Ipê conta corrente", 4_532_055, begin, banco_id=1, agencia="0421", numero="33817-2"),
        SECOND: Account(SECOND, "Caixa da loja", 850_000, begin),
        SAVINGS: Account(SAVINGS, "Aplicação automática", 2_500_000, begin, permite_lancamento=False, banco_id=1),
    }
    for id_, name, kind, parent, active in names.CATEGORIES:
        books.categorias[id_] = Category(id_, name, parent_id=parent, ativo=active, tipo_categoria_id=kind)
    books.centros = {id_: Named(id_, name, parent) for id_, name, parent in names.CENTRES}
    books.formas = {id_: Named(id_, name) for id_, name in names.METHODS}
    books.tags = {id_: Named(id_, name) for id_, name in names.TAGS}
    books.tipos_documento = {id_: Named(id_, name) for id_, name in names.DOCUMENT_TYPES}
    for id_, name, kind, active in names.CLASSIFICATIONS:
        books.classificacoes[id_] = Classification(id_, name, kind, active)


def _add_people(books: Books, builder: _Builder) -> None:
    """Invent customers, suppliers and people who are both; a few inactive, a few without CPF or CNPJ."""
    rng = builder.rng
    cities = sorted(CITIES)
    for number in range(max(24, min(600, builder.total // 25))):
        id_ = 501 + number
        company = rng.random() < 0.6
        if company:
            place = rng.choice(names.PLACES)
            trade = f"{rng.choice(names.TRADES)} {place}"
            name, nickname = f"{trade} {rng.choice(names.ENDINGS)}", trade if rng.random() < 0.5 else None
        else:
            name = f"{rng.choice(names.FIRST_NAMES)} {rng.choice(names.LAST_NAMES)} {rng.choice(names.LAST_NAMES)}"
            nickname = None
        role = rng.random()
        city = rng.choice(cities)
        document = make_cnpj(10_000_000 + 7919 * number) if company else make_cpf(100_000_000 + 104_729 * number)
        person = Person(
            id_,
            name,
            cliente=role < 0.68,
            fornecedor=role >= 0.58,
            nome_fantasia=nickname,
            documento=None if rng.random() < 0.03 else document,
            telefone=f"(11) 5555-{number:04d}",
            email=f"contato{number}@exemplo.com.br" if rng.random() < 0.8 else None,
            endereco=rng.choice(names.STREETS),
            endereco_numero=str(rng.randrange(1, 2000)),
            bairro=rng.choice(names.DISTRICTS),
            cep=f"{rng.randrange(1_000_000, 99_999_999):08d}",
            cidade_id=city,
            estado_id=CITIES[city][1],
            ativo=rng.random() >= 0.04,
        )
        if person.cliente:
            person.classificacao_cliente_id = rng.choice((None, 1, 2, 3, 6))
            builder.customers.append(id_)
        if person.fornecedor:
            person.classificacao_fornecedor_id = rng.choice((None, 3, 4, 5))
            builder.suppliers.append(id_)
        books.pessoas[id_] = person


def _add_endless_series(builder: _Builder) -> None:
    """Book the endless monthly series, generated up to the last month of the books."""
    rng, months = builder.rng, YEARS_BACK * 12 + MONTHS_AHEAD
    for number, (text, category, low, high, automatic) in enumerate(names.ENDLESS):
        if builder.total < 120 * (number + 1) or builder.room < months:
            return
        builder.group += 1
        supplier, day = rng.choice(builder.suppliers), rng.randrange(1, 28)
        for month in range(months):
            due = builder.month_day(month, day)
            paid = builder.pay_day(due, receivable=False)
            if automatic:
                paid = due if due <= builder.today else None
            amount = -rng.randint(low, high)
            entry = builder.put(MAIN, category, supplier, amount, text, due, paid, builder.month_day(month, 1))
            entry.grupo_id, entry.numero_repeticao, entry.total_repeticoes = builder.group, month + 1, None
            entry.periodicidade, entry.infinito, entry.pagamento_automatico = "M1", True, automatic
            entry.centro_custo_lucro_id, entry.forma_pagamento_id = 4, 305


def _add_payroll(builder: _Builder) -> None:
    """Book a monthly composite: salaries, charges and a discount with the opposite sign."""
    if builder.total < 400:
        return
    rng = builder.rng
    for month in range(YEARS_BACK * 12 + MONTHS_AHEAD):
        if builder.room < 3:
            return
        due = builder.month_day(month, 5)
        salaries = rng.randint(1_400_000, 1_600_000)
        _put_composite(
            builder,
            MAIN,
            None,
            due,
            builder.pay_day(due, receivable=False),
            due - 20,
            "Folha de pagamento",
            ((221, -salaries, "Salários"), (222, -salaries * 28 // 100, "Encargos"), (223, 43_750, "Desconto VT")),
        )


def _put_composite(
    builder: _Builder,
    account: int,
    person: int | None,
    due: int,
    paid: int | None,
    competence: int,
    text: str,
    parts: tuple[tuple[int, int, str], ...],
) -> Entry:
    """Book the first part as the entry and the others as its items."""
    builder.composite += 1
    carrier: Entry | None = None
    for category, amount, label in parts:
        entry = builder.put(
            account, category, person, amount, text if carrier is None else label, due, paid, competence
        )
        entry.lancamento_composto_id = builder.composite
        if carrier is None:
            carrier = entry
            entry.centro_custo_lucro_id = builder.rng.choice((1, 2, 3, 4, None))
        else:
            entry.item_de = carrier.id
            entry.centro_custo_lucro_id = carrier.centro_custo_lucro_id
    if carrier is None:
        raise ValueError("a composite needs at least one part")
    return carrier


def _add_trade(builder: _Builder) -> None:
    """Fill the books up to the wanted number with sales, purchases, transfers, composites and oddities."""
    rng = builder.rng
    steps = (_sale, _sale_in_parts, _purchase, _purchase_in_parts, _transfer, _bill_with_items, _refund, _oddity)
    bounds, below = [], 0
    for weight in (46, 7, 24, 3, 4, 4, 2, 1):
        below += weight
        bounds.append(below)
    while builder.room > 0:
        step = steps[bisect_right(bounds, rng.randrange(below))]
        if builder.room < 13:
            step = _sale if builder.room % 2 else _purchase  # what fits exactly
        step(builder)


def _any_day(builder: _Builder) -> int:
    """Return a due day: mostly history, thinning out towards the last month ahead."""
    rng = builder.rng
    if rng.random() < 0.92:
        return rng.randint(builder.first, builder.today)
    return builder.today + int((builder.last - 1 - builder.today) * rng.random() ** 2)


def _sale(builder: _Builder) -> None:
    rng = builder.rng
    due = _any_day(builder)
    account = MAIN if rng.random() < 0.85 else SECOND
    competence = None if rng.random() < 0.01 else due - rng.choice((0, 0, 3, 7, 15, 28, 30, 45))
    entry = builder.put(
        account,
        builder.pick(_SALES),
        rng.choice(builder.customers),
        builder.amount(4_500, 790_000),
        f"Venda {len(builder.entries) + 1}",
        due,
        builder.pay_day(due, receivable=True),
        competence,
    )
    _decorate(builder, entry)
    if account == MAIN and rng.random() < 0.16:
        builder.charged.append(entry)


def _purchase(builder: _Builder) -> None:
    rng = builder.rng
    due = _any_day(builder)
    category = builder.pick(_COSTS)
    taxes = category in (251, 252)
    paid = builder.pay_day(due, receivable=False)
    if taxes:
        paid = due if due <= builder.today else None
    entry = builder.put(
        MAIN if rng.random() < 0.9 else SECOND,
        category,
        None if taxes else rng.choice(builder.suppliers),
        -builder.amount(3_000, 610_000),
        "Guia de imposto" if taxes else f"Compra {len(builder.entries) + 1}",
        due,
        paid,
        None if rng.random() < 0.01 else due - rng.choice((0, 5, 10, 28, 30)),
    )
    entry.pagamento_automatico = taxes
    _decorate(builder, entry)


def _decorate(builder: _Builder, entry: Entry) -> None:
    """Give an entry the optional fields that users fill now and then."""
    rng = builder.rng
    entry.centro_custo_lucro_id = rng.choice((1, 2, 3, None))
    entry.forma_pagamento_id = rng.choice((301, 302, 303, 304, 305, None))
    if rng.random() < 0.35:
        entry.documento = f"NF-{entry.id}"
        entry.tipo_documento_id = rng.choice((1, 2, 3, 4))
    if rng.random() < 0.12:
        entry.tags = tuple(sorted(rng.sample((1, 2, 3, 4, 5), rng.randint(1, 3))))
    if rng.random() < 0.04:
        entry.observacao = rng.choice(("Conferir com o depósito", "Combinado por telefone", "Entrega não programada"))


def _in_parts(builder: _Builder, *, receivable: bool) -> None:
    rng = builder.rng
    parts = rng.randint(2, 6)
    first = _any_day(builder)
    builder.group += 1
    amount = builder.amount(12_000, 300_000)
    person = rng.choice(builder.customers if receivable else builder.suppliers)
    category = builder.pick(_SALES if receivable else ((211, 4), (242, 1)))
    text = f"{'Venda' if receivable else 'Compra'} parcelada {builder.group}"
    for number in range(parts):
        due = first + 30 * number
        if due >= builder.last:
            due = builder.last - 1
        entry = builder.put(MAIN, category, person, amount if receivable else -amount, text, due,
                            builder.pay_day(due, receivable=receivable), first)  # fmt: skip
        entry.grupo_id, entry.numero_repeticao, entry.total_repeticoes = builder.group, number + 1, parts
        entry.periodicidade, entry.forma_pagamento_id = "M1", 301
        if receivable and rng.random() < 0.5:
            builder.charged.append(entry)


def _sale_in_parts(builder: _Builder) -> None:
    _in_parts(builder, receivable=True)


def _purchase_in_parts(builder: _Builder) -> None:
    _in_parts(builder, receivable=False)


def _transfer(builder: _Builder) -> None:
    rng = builder.rng
    source, target = rng.choice(((MAIN, SAVINGS), (SAVINGS, MAIN), (SECOND, MAIN), (SECOND, MAIN), (MAIN, SECOND)))
    day = rng.randint(builder.first, builder.today) if rng.random() < 0.97 else builder.today + rng.randint(1, 20)
    amount = builder.amount(50_000, 900_000)
    paid = day if day <= builder.today else None
    text = "Transferência entre contas"
    out = builder.put(source, None, None, -amount, text, day, paid, day)
    into = builder.put(target, None, None, amount, text, day, paid, day)
    out.lancamento_transferencia_id, into.lancamento_transferencia_id = into.id, out.id
    into.modified = out.modified


def _bill_with_items(builder: _Builder) -> None:
    """Book a composite: a purchase with freight and tax, or a sale with its fee deducted (mixed signs)."""
    rng = builder.rng
    due = _any_day(builder)
    if rng.random() < 0.6:
        goods = builder.amount(60_000, 900_000)
        parts = [(211, -goods, "Mercadorias"), (212, -goods // 12, "Frete"), (252, -goods // 25, "ICMS-ST")]
        if rng.random() < 0.3:
            parts.append((211, goods // 40, "Desconto do fornecedor"))
        person, text, receivable = rng.choice(builder.suppliers), f"Compra {len(builder.entries) + 1}", False
    else:
        goods = builder.amount(20_000, 400_000)
        parts = [(113, goods, "Mercadorias"), (121, goods // 6, "Instalação"), (261, -rng.choice((199, 350)), "Taxa")]
        person, text, receivable = rng.choice(builder.customers), f"Pedido {len(builder.entries) + 1}", True
    paid = builder.pay_day(due, receivable=receivable)
    carrier = _put_composite(builder, MAIN, person, due, paid, due - rng.randrange(30), text, tuple(parts))
    if receivable and rng.random() < 0.5:
        builder.charged.append(carrier)


def _refund(builder: _Builder) -> None:
    """Book money going back: to a customer in a revenue category, or from a supplier in an expense category."""
    rng = builder.rng
    due = rng.randint(builder.first, builder.today)
    to_customer = rng.random() < 0.7
    amount = builder.amount(2_000, 90_000)
    builder.put(
        MAIN,
        builder.pick(_SALES) if to_customer else 211,
        rng.choice(builder.customers if to_customer else builder.suppliers),
        -amount if to_customer else amount,
        "Devolução ao cliente" if to_customer else "Reembolso do fornecedor",
        due,
        due,
        due - rng.randrange(20),
    )


def _oddity(builder: _Builder) -> None:
    """Book what real books have now and then: loans, zero amounts, inactive or missing categories, early payments."""
    rng = builder.rng
    kind = rng.randrange(7)
    due = rng.randint(builder.first + 5, builder.today)
    if kind == 0:
        sign = rng.choice((1, -1))
        builder.put(MAIN, 31, None, sign * 2_500_000, "Empréstimo capital de giro", due, due, due)
    elif kind == 1:
        builder.put(SECOND, 111, rng.choice(builder.customers), 0, "Amostra grátis", due, None, due)
    elif kind == 2:
        builder.put(MAIN, 243, rng.choice(builder.suppliers), -builder.amount(5_000, 150_000), "Estande", due, due, due)
    elif kind == 3:
        builder.put(SECOND, None, None, builder.amount(1_000, 30_000), "Depósito a identificar", due, due, None)
    elif kind == 4:
        builder.put(
            MAIN, 114, rng.choice(builder.customers), builder.amount(5_000, 80_000), "Televendas", due, due, due
        )
    elif kind == 5:
        ahead = builder.today + rng.randint(1, 9)  # a post-dated payment: dated, but still to come
        due = builder.today - rng.randint(0, 5)
        builder.put(MAIN, 234, rng.choice(builder.suppliers), -builder.amount(5_000, 90_000), "Cheque pré-datado", due,
                    ahead, due)  # fmt: skip
    else:
        early = builder.first - rng.randint(1, 40)
        builder.put(MAIN, 262, None, -builder.amount(1_000, 20_000), "Multa anterior", early, early, early)


def _add_charges(books: Books, builder: _Builder) -> None:
    """Issue a charge for each entry that was marked, in the state that the entry's payment suggests."""
    rng, iso, today = builder.rng, builder.iso, builder.today
    place = {text: number for number, text in enumerate(iso)}
    for number, entry in enumerate(builder.charged):
        kind = rng.choice(("boleto", "boleto", "boleto", "pix", "cartao_credito"))
        members = books.members(entry)
        due = place[entry.data_vencimento]
        charge = Charge(
            id=9001 + number,
            conta_id=MAIN,
            cliente_id=entry.pessoa_id or builder.customers[0],
            valor=sum(member.valor for member in members if member.valor > 0),
            data_vencimento=entry.data_vencimento,
            tipo_cobranca=kind,
            forma_pagamento_id={"boleto": 301, "cartao_credito": 302, "pix": 303}[kind],
            valor_taxa={"boleto": -350, "cartao_credito": -899, "pix": -199}[kind],
            lancamento_ids=tuple(member.id for member in members),
            lancamento_composto_id=entry.lancamento_composto_id,
            email=books.pessoas[entry.pessoa_id].email if entry.pessoa_id else None,
            cobranca_hash=f"{rng.getrandbits(80):020x}",
            instrucoes_boleto="Não receber após 30 dias do vencimento" if kind == "boleto" else None,
        )
        books.cobrancas[charge.id] = charge
        entry.forma_pagamento_id = charge.forma_pagamento_id
        if rng.random() < (0.15 if entry.data_pagamento is None else 0.01):
            charge.data_cancelamento = iso[min(due, today)]
            continue
        if entry.data_pagamento is None:
            charge.estado = "agendado" if due - today > charge.dias_para_emissao else "pendente"
            if charge.estado == "pendente" and rng.random() < 0.06:
                _settle(builder, charge, today - 1)  # the customer paid, nobody has settled the entry yet
            continue
        _settle(builder, charge, place[entry.data_pagamento])


def _settle(builder: _Builder, charge: Charge, paid: int) -> None:
    """Move a charge to where a payment on a day has taken it by today: one day to transfer, two to arrive."""
    iso, age = builder.iso, builder.today - paid
    late = charge.data_vencimento < iso[paid]
    charge.valor_multa_juros = charge.valor * 2 // 100 if late and builder.rng.random() < 0.5 else 0
    charge.valor_pago = charge.valor + charge.valor_multa_juros
    charge.data_a_transferir = iso[paid + 1]
    charge.estado = "cliente_pagou"
    if age >= 1:
        charge.data_transferindo = iso[paid + 1]
        charge.estado = "transferindo"
    if age >= 2:
        charge.data_transferido = iso[paid + 2]
        charge.estado = "transferido"


def _turn_to_totals(books: Books) -> None:
    """Give composites the shape T: the carrier's amount becomes an item and the carrier shows the total."""
    carriers = [e for e in books.lancamentos.values() if e.lancamento_composto_id is not None and e.item_de is None]
    for carrier in carriers:
        part = Entry(
            id=books.new_id("lancamentos"),
            conta_id=carrier.conta_id,
            categoria_id=carrier.categoria_id,
            valor=carrier.valor,
            descricao=f"{carrier.descricao} (principal)",
            data_vencimento=carrier.data_vencimento,
            data_pagamento=carrier.data_pagamento,
            data_competencia=carrier.data_competencia,
            pessoa_id=carrier.pessoa_id,
            centro_custo_lucro_id=carrier.centro_custo_lucro_id,
            lancamento_composto_id=carrier.lancamento_composto_id,
            item_de=carrier.id,
            modified=carrier.modified,
        )
        total = sum(member.valor for member in books.members(carrier))
        books.add_entry(part)
        books.change_entry(carrier, valor=total)
