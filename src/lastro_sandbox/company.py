"""Invents a plausible company from a seed: the same books for the same (seed, number of entries, today), always.

How the amounts arise says nothing about a real company; what matters is that everything the document knows occurs, in
believable proportions. ``company_builder`` holds the calendar and the dice, ``company_trade`` what is booked,
``company_charges`` the charges, ``company_observed`` what only the dialect ``observado`` has.
"""

from __future__ import annotations

from datetime import date, timedelta

from lastro_sandbox import company_names as names
from lastro_sandbox.company_builder import (
    MAIN,
    MARGIN,
    MONTHS_AHEAD,
    SAVINGS,
    SECOND,
    YEARS_BACK,
    Builder,
    Dice,
    first_of_month,
)
from lastro_sandbox.company_charges import add_charges, turn_to_totals
from lastro_sandbox.company_observed import dress_books
from lastro_sandbox.company_trade import add_endless_series, add_payroll, add_purchases, add_trade
from lastro_sandbox.decisions import CompositeShape, Dialect
from lastro_sandbox.ledger import Books
from lastro_sandbox.model import Account, Category, Classification, Named, Person
from lastro_sandbox.render import CITIES


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


def make_company(
    seed: int = 1,
    lancamentos: int = 5000,
    hoje: date | None = None,
    forma_composto: CompositeShape = "A",
    dialeto: Dialect = "documento",
) -> Books:
    """Invent the books of a Brazilian trader.

    Args:
        seed: different seeds give different companies.
        lancamentos: exact number of entries, items of composites and both legs of transfers included.
        hoje: the company's day, by default 2026-03-16 (the machine's clock is never read).
        forma_composto: how composites are shown, see ``Books``.
        dialeto: ``observado`` also books the fees of charges and what else only that dialect has, within the number
            of entries asked for. (Serving other books in that dialect adds them beyond it.)

    Returns:
        Books with three accounts (101 and 102 with entries, 103 moved only by transfers), about three years of
        history and up to six months ahead.

    Raises:
        ValueError: fewer than zero entries.
    """
    if lancamentos < 0:
        raise ValueError("lancamentos must not be negative")
    day = hoje or date(2026, 3, 16)
    origin = first_of_month(day, -12 * YEARS_BACK)
    last = first_of_month(day, MONTHS_AHEAD)
    start = origin - timedelta(days=MARGIN)
    iso = [(start + timedelta(days=n)).isoformat() for n in range((last - start).days + 80)]
    builder = Builder(
        rng=Dice(seed),
        total=lancamentos,
        first=MARGIN,
        today=(day - start).days,
        last=(last - start).days,
        iso=iso,
        origin=origin,
        fees=dialeto == "observado",
    )
    books = Books(day, nome="Comercial Ipê Ltda", empresa_id="ipe", forma_composto=forma_composto)
    books.seed = seed
    _add_references(books, origin)
    _add_people(books, builder)
    add_endless_series(builder)
    add_payroll(builder)
    add_trade(builder)
    books.load_entries(builder.entries)
    add_charges(books, builder)
    if forma_composto == "T":
        turn_to_totals(books)
    books.start_ids(grupos=builder.group + 1, compostos=builder.composite + 1)
    books.undressed = True
    if dialeto == "observado":
        dress_books(books, lambda fees: add_purchases(books, builder, len(builder.charged) - fees))
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


def _add_people(books: Books, builder: Builder) -> None:
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
            telefone=f"(11) {'9' if number % 3 else ''}5555-{number:04d}",  # two of three have a mobile one
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
