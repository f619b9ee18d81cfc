"""Invents what a trader books: endless series, payroll, sales, purchases, transfers, composites, oddities."""

from __future__ import annotations

from bisect import bisect_right

from lastro_sandbox import company_names as names
from lastro_sandbox.company_builder import MAIN, MONTHS_AHEAD, SAVINGS, SECOND, YEARS_BACK, Builder
from lastro_sandbox.ledger import Books
from lastro_sandbox.model import Entry

_SALES = ((111, 40), (112, 25), (113, 20), (121, 9), (122, 6))
_COSTS = ((211, 52), (212, 12), (223, 5), (241, 9), (242, 6), (251, 7), (252, 4), (262, 3), (20, 2))


def add_endless_series(builder: Builder) -> None:
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


def add_payroll(builder: Builder) -> None:
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
    builder: Builder,
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


def add_trade(builder: Builder) -> None:
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
            step = _sale if builder.room % 2 and not builder.fees else _purchase  # what fits exactly
        step(builder)


def add_purchases(books: Books, builder: Builder, count: int) -> None:
    """Book so many more purchases, after everything else was loaded."""
    first = len(builder.entries)
    for _ in range(count):
        _purchase(builder)
    for entry in builder.entries[first:]:
        entry.id = books.new_id("lancamentos")
        if entry.documento:
            entry.documento = f"NF-{entry.id}"
        books.add_entry(entry)


def _any_day(builder: Builder) -> int:
    """Return a due day: mostly history, thinning out towards the last month ahead."""
    rng = builder.rng
    if rng.random() < 0.92:
        return rng.randint(builder.first, builder.today)
    return builder.today + int((builder.last - 1 - builder.today) * rng.random() ** 2)


def _sale(builder: Builder) -> None:
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


def _purchase(builder: Builder) -> None:
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


def _decorate(builder: Builder, entry: Entry) -> None:
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


def _in_parts(builder: Builder, *, receivable: bool) -> None:
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


def _sale_in_parts(builder: Builder) -> None:
    _in_parts(builder, receivable=True)


def _purchase_in_parts(builder: Builder) -> None:
    _in_parts(builder, receivable=False)


def _transfer(builder: Builder) -> None:
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


def _bill_with_items(builder: Builder) -> None:
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


def _refund(builder: Builder) -> None:
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


def _oddity(builder: Builder) -> None:
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
