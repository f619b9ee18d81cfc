"""A company in trouble and the mornings of its controller, the same for the same seed.

Factoring that is bought back, a loan between partners, taxes that are skipped and put into instalments, a receipt in
part, refunds, a duplicate, years typed wrong, entries without category or competence, two branches, four accounts of
which one is a card; statements that prove, deny and contradict, typed balances, a budget with a revision, notes at both
desks. `Mornings` serves it and lives through some days; what it has is asked of `tests/integration/test_troubled.py`.
"""

from __future__ import annotations

import html
import random
import re
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import openpyxl

from lastro.grid.verdict import NAO_SE_APLICA
from lastro.run.order import RunResult
from lastro.schema.run_kinds import Modo
from lastro.settings import Conta, Parametros, Settings, load_settings
from lastro.transform.position import Position
from lastro_sandbox import Books
from lastro_sandbox.decisions import CompositeShape
from lastro_sandbox.model import Account, Category, Charge, Entry, Person, format_money
from tests.desk_sheets import put, rows_of
from tests.served import TOKEN_VARIABLE, ask, run_served
from tests.unit.reports.positions import make_position

MONTHS: Final = 20
BANK_A, BANK_B, CASH, CARD = 101, 102, 103, 104
BANKED: Final = (BANK_A, BANK_B)
FACTORING, LOAN, DRAW, UNKNOWN = 93, 91, 94, 999
ICMS, PIS, INSS, PLAN = 26, 27, 28, 41
TAXES: Final = (ICMS, PIS, INSS)
CATEGORIES: Final = (
    # id, name, parent, tipo (0 mixed, 1 expense, 2 revenue)
    (10, "Receitas", None, 2), (11, "Vendas de produtos", 10, 2), (12, "Serviços de instalação", 10, 2),
    (20, "Despesas", None, 1), (21, "Aluguel", 20, 1), (22, "Salários", 20, 1), (23, "Energia elétrica", 20, 1),
    (24, "Matéria-prima", None, 1), (25, "Impostos", None, 1), (ICMS, "ICMS", 25, 1), (PIS, "PIS/COFINS", 25, 1),
    (INSS, "INSS", 20, 1), (PLAN, "Parcelamento PGFN", 25, 1), (90, "Financeiro", None, 0),
    (LOAN, "Mútuo de sócios", 90, 0), (92, "Tarifas bancárias", 20, 1), (FACTORING, "Antecipação de recebíveis", 90, 0),
    (DRAW, "Retirada", 90, 0), (95, "Marketing", 20, 1),
)  # fmt: skip
NAMES: Final = {key: name for key, name, *_ in CATEGORIES}
MAPS: Final[tuple[dict[int, str], ...]] = (
    {10: "receita_bruta", 20: "administrativas", 22: "pessoal", 24: "custos_variaveis", 25: "deducoes", 90: "fora",
     INSS: "pessoal"},
    {10: "receita_bruta", 20: "administrativas", 24: "custos_variaveis", 25: "deducoes", FACTORING: "financeiro",
     LOAN: "fora", DRAW: "fora", 92: "financeiro", 22: "pessoal"},
    {90: "fora"},
    {10: "receita_bruta", 20: "administrativas", 90: "fora"},
    {},
)  # fmt: skip
CUSTOMERS, SUPPLIERS = (501, 502, 503, 504), (601, 602, 603, 604)
LANDLORD, FACTOR, STATE, UNION, PARTNER = 611, 621, 631, 632, 641
BRANCHES: Final = (201, 202)
OF_ONE_BALANCE = frozenset({"V24"})
"""What two balances of a bank would say: on the first morning, and as was known soon after, each account has one."""
CONTRADICTED: Final = (
    "SELECT DISTINCT id FROM mart.achados_itens WHERE regra = 'Q24' AND texto LIKE '%outro arquivo diz outro saldo%'"
)
"""Asks for the accounts whose files deny each other's balances, as the drawn bank's do that adds a line of long ago."""
WITHOUT_BEFORE: Final = frozenset({"V17", "V18", "V32", "V46"})
"""Checks that hold a run against an earlier one."""
OF_OLD_RUNS: Final = frozenset({"V18", "V46"})
"""And one that asks for runs from before the period that it looks at."""
OF_A_READING: Final = frozenset({"V15", "V34", "V37"})
"""Checks of a complete reading, which a hot run is not."""
OF_WHAT_CAME: Final = frozenset({"V09", "V10", "V14", "V15", "V21", "V34", "V35", "V36", "V37"})
"""Checks of what was received, of which there is nothing for a day that history gives back."""
_NOT_FOR_OWNERS: Final = re.compile(r"\b[FQV]\d{1,2}\b|\blastro [a-z]|…|\([FD]\)|\brecorte|na mesa|`")
Line = tuple[date, int, str]
"""What a bank shows: day, signed centavos, text."""


@dataclass
class Company:
    """The books, what the banks have of them and what its people typed.

    Attributes:
        today: its first morning.
        lines: account -> what its bank has shown until now.
        openings: account -> what it held before all, centavos.
        with_statements: whether its people download statements at all.
    """

    seed: int
    today: date
    books: Books
    rng: random.Random
    with_statements: bool
    lines: dict[int, list[Line]] = field(default_factory=dict)
    openings: dict[int, int] = field(default_factory=dict)
    banked: set[int] = field(default_factory=set)

    def add(
        self,
        valor: int,
        category: int | None,
        due: date,
        paid: date | None = None,
        person: int | None = None,
        **more: Any,
    ) -> Entry:
        """Book an entry; its competence is the first of the month of its due date where nothing else is said."""
        told = {"conta_id": BANK_A, "data_competencia": due.replace(day=1).isoformat(), "numero_repeticao": None,
                "total_repeticoes": None, **more}  # fmt: skip
        return self.books.add_entry(
            Entry(
                id=self.books.new_id("lancamentos"),
                categoria_id=category,
                valor=valor,
                data_vencimento=due.isoformat(),
                data_pagamento=None if paid is None or paid > self.today else paid.isoformat(),
                pessoa_id=person,
                modified=f"{min(due, self.today)} 09:00:00",
                **{
                    "descricao": NAMES.get(category or 0, "Diversos"),
                    **told,
                },
            )
        )

    def months(self) -> list[date]:
        """The months of its history, and two ahead."""
        first = self.today.year * 12 + self.today.month - 1 - MONTHS
        return [date((first + n) // 12, (first + n) % 12 + 1, 1) for n in range(MONTHS + 3)]


def make_company(seed: int) -> Company:
    """Make a company in trouble; seed 0 is that of the fixture, on Friday, 30 October 2026."""
    rng = random.Random(seed)  # noqa: S311 - test data, no secret
    today = date(2026, 10, 30) if not seed else date(2026, 10, 1) + timedelta(rng.randrange(120))
    shape: CompositeShape = "A" if not seed else rng.choice(("A", "B", "D"))
    books = Books(today, nome="Serra Ltda", empresa_id="serra", forma_composto=shape)
    company = Company(seed, today, books, rng, with_statements=not seed or rng.random() < 0.75)
    for number, (key, name) in enumerate(
        ((BANK_A, "Banco Alfa"), (BANK_B, "Banco Beta"), (CASH, "Caixa pequeno"), (CARD, "Cartão")), 1
    ):
        books.contas[key] = Account(key, name, banco_id=number if key in BANKED else None)
    for key, name, parent, tipo in CATEGORIES:
        books.categorias[key] = Category(key, name, parent_id=parent, tipo_categoria_id=tipo)
    for key in (*CUSTOMERS, FACTOR):
        books.pessoas[key] = Person(key, f"Rede {key}", cliente=True, telefone="11999990000", email="a@example.com")
    for key in (*SUPPLIERS, LANDLORD, STATE, UNION, PARTNER):
        books.pessoas[key] = Person(key, f"Fornecedor {key}", fornecedor=True)
    books.start_ids(lancamentos=1001, grupos=7001, compostos=8001, cobrancas=9001)
    for month in company.months():
        _sell(company, month)
        _spend(company, month)
        _owe_taxes(company, month)
    _factor(company)
    _lend(company)
    _err(company)
    _charge(company)
    books.settle_ids()
    company.openings = {BANK_A: 9_000_000 + rng.randrange(500_000), BANK_B: 1_200_000}
    company.lines = {conta: [] for conta in BANKED}
    _bank(company, today)
    return company


def take_position(company: Company, day: date, parametros: Parametros) -> Position:
    """Take the position of a day, entries of composites as rows."""
    rows = [
        {
            **{name: getattr(entry, name) for name in entry.__dataclass_fields__},
            "valor": str(Decimal(entry.valor).scaleb(-2)),
            "tags": [],
        }
        for entry in company.books.lancamentos.values()
    ]
    people = [{"id": person.id, "nome": person.nome} for person in company.books.pessoas.values()]
    return make_position(
        rows,
        categorias=[
            {"id": key, "descricao": name, "parent_id": parent, "tipo_categoria_id": tipo, "ativo": True}
            for key, name, parent, tipo in CATEGORIES
        ],
        clientes=people,
        fornecedores=people,
        contas=[
            Conta(key, descricao=name.descricao, valor_saldo_inicial=Decimal("9000.00"),
                  tipo="cartao" if key == CARD else "conta")
            for key, name in company.books.contas.items()
        ],
        parametros=parametros,
        data_base=day,
        data_extracao=company.today,
    )  # fmt: skip


def _paid(company: Company, due: date, days: int, chance: float = 1.0) -> date | None:
    """The day on which something is paid that is paid some days late; never where the dice say so."""
    paid = due + timedelta(days)
    return paid if paid <= company.today and company.rng.random() < chance else None


def _sell(company: Company, month: date) -> None:
    """Four sales a month; the largest customer pays later every month, and of late not at all."""
    rng = company.rng
    for place, customer in enumerate(CUSTOMERS):
        day = month + timedelta(3 + 6 * place + rng.randrange(3))
        late = company.months().index(month) * 2 if customer == CUSTOMERS[0] else rng.choice((0, 0, 1, 4, 9))
        amount = rng.randrange(1_500_000, 4_000_000)
        company.add(
            amount, rng.choice((11, 11, 12)), day + timedelta(20), _paid(company, day + timedelta(20), late, 0.96),
            customer, data_competencia=day.isoformat(), centro_custo_lucro_id=rng.choice((*BRANCHES, None)),
            conta_id=rng.choice((BANK_A, BANK_A, BANK_B)), documento=f"NF {3000 + company.books.new_id('nf')}",
            forma_pagamento_id=rng.choice((301, 303, None)),
        )  # fmt: skip


def _spend(company: Company, month: date) -> None:
    """Rent as a series, wages, energy, goods, a card, petty cash."""
    rng = company.rng
    for category, amount, day, person, conta in (
        (21, 620_000, 5, LANDLORD, BANK_A), (22, 2_900_000, 6, None, BANK_A),
        (23, rng.randrange(90_000, 140_000), 12, 601, BANK_B),
        (24, rng.randrange(900_000, 2_200_000), 18, rng.choice(SUPPLIERS), BANK_A),
        (95, rng.randrange(5_000, 60_000), 10, 604, CARD),
        (20, rng.randrange(2_000, 9_000), 14, None, CASH), (DRAW, 500_000, 20, PARTNER, BANK_A),
    ):  # fmt: skip
        due = month + timedelta(day - 1)
        late = rng.choice((0, 0, 0, 2)) if category != 24 else rng.choice((0, 3, 20, 45))
        group = {"grupo_id": 7000 + category} if category in (21, 95) else {}
        paid = _paid(company, due, late, 0.97)
        if category == 21 and due <= company.today:
            # Of one rent it is asked whether it was paid (Q33); the bank denies it until someone pays it.
            paid = None if company.months()[-5] == month else max(due, paid or due)
        company.add(
            -amount, category, due, paid, person, conta_id=conta,
            centro_custo_lucro_id=rng.choice((*BRANCHES, None)), **group,
        )  # fmt: skip


def _owe_taxes(company: Company, month: date) -> None:
    """Taxes of which some months are skipped while later ones are paid; the plan of what was skipped before."""
    rng = company.rng
    ago = company.months()[-3].year * 12 + company.months()[-3].month - month.year * 12 - month.month
    for category, person in zip(TAXES, (STATE, UNION, UNION), strict=True):
        due = month + timedelta(19)
        skipped = ago in ((3, 5) if not company.seed else rng.sample(range(2, 12), 3))
        company.add(
            -rng.randrange(400_000, 1_500_000), category, due, None if skipped else _paid(company, due, 0, 0.9), person
        )
    if ago < 10:
        due = month + timedelta(24)
        plan = {"grupo_id": 7900, "numero_repeticao": 11 - ago, "total_repeticoes": 60, "periodicidade": "M1"}
        company.add(-210_055, PLAN, due, _paid(company, due, 0, 0.9), UNION, **plan)


def _factor(company: Company) -> None:
    """Invoices sold to a factor and bought back: the category nets to nothing; so does a deposit that came back."""
    rng, today = company.rng, company.today
    for back in (200, 140, 75):
        amount, day = rng.randrange(2_000_000, 6_000_000), today - timedelta(back)
        company.add(amount, FACTORING, day, day, FACTOR, data_competencia=day.isoformat())
        later = day + timedelta(rng.choice((12, 25)))
        company.add(-amount, FACTORING, later, later, FACTOR, data_competencia=later.isoformat())
    day = today - timedelta(95)
    company.add(-77_000, 95, day, day, 602, data_competencia=day.isoformat())
    company.add(77_000, 95, day + timedelta(30), day + timedelta(30), 602)
    if company.seed % 3 == 1:
        company.add(3_100_000, FACTORING, today - timedelta(9), today - timedelta(9), FACTOR)


def _lend(company: Company) -> None:
    """A loan of a partner that is paid back, a bank loan in composites, money moved between accounts."""
    rng, today, books = company.rng, company.today, company.books
    company.add(8_000_000, LOAN, today - timedelta(300), today - timedelta(300), PARTNER)
    for n in range(4):
        due = today - timedelta(170) + timedelta(40 * n)
        company.add(-2_000_000, LOAN, due, _paid(company, due, rng.choice((0, 4))), PARTNER, grupo_id=7950)
    for n in range(5):
        due, composite = today - timedelta(120) + timedelta(30 * n), books.new_id("compostos")
        paid = _paid(company, due, 0)
        shared: dict[str, Any] = {"lancamento_composto_id": composite, "descricao": "Giro"}
        head = company.add(-450_000, 90, due, paid, None, **shared)
        company.add(-38_500 - n, 92, due, paid, None, item_de=head.id, **shared)
    for n in range(3):
        day, amount = today - timedelta(20 + 50 * n), rng.randrange(300_000, 900_000)
        legs = [
            company.add(sign * amount, None, day, day, None, conta_id=conta, descricao="Transferência")
            for sign, conta in ((-1, BANK_A), (1, (BANK_B, CASH, CARD)[n]))
        ]
        for leg, other in (legs, legs[::-1]):
            books.change_entry(leg, lancamento_transferencia_id=other.id)


def _err(company: Company) -> None:
    """What people type wrong: a duplicate, years, no category, no competence, a category that is gone, zero."""
    rng, today = company.rng, company.today
    for _ in range(2):
        company.add(-2_734_000, 24, today + timedelta(6), None, 603, documento="NF 77")
    company.add(
        -3_348_000, 24, today.replace(year=today.year - 1, day=18), None, 602, data_competencia=today.isoformat()
    )
    company.add(2_635_000, 11, today - timedelta(15), None, 503).data_pagamento = (today + timedelta(351)).isoformat()
    company.add(980_000, None, today - timedelta(6), today - timedelta(6), None, descricao="PIX recebido")
    company.add(-45_000, 23, today - timedelta(40), today - timedelta(39), 601, data_competencia=None)
    company.add(-12_300, UNKNOWN, today - timedelta(8), None, 601)
    company.add(0, 12, today - timedelta(4), None, 502)
    company.add(152_000, 12, today - timedelta(33), None, None)
    if rng.random() < 0.5:
        company.add(-66_000, 21, today + timedelta(400), today - timedelta(2), LANDLORD)


def _charge(company: Company) -> None:
    """Charges in every status over sales of the last months."""
    states = ("pendente", "cliente_pagou", "transferindo", "transferido", "agendado")
    sales = [one for one in company.books.lancamentos.values() if one.forma_pagamento_id == 301 and one.valor > 0]
    for place, sale in enumerate(sales[-14:]):
        state = states[place % 5] if not sale.data_pagamento else "transferido"
        key = company.books.new_id("cobrancas")
        arrived = (company.today - timedelta(company.rng.randrange(1, 9))).isoformat()
        company.books.cobrancas[key] = Charge(
            key, sale.conta_id or BANK_A, sale.pessoa_id or CUSTOMERS[1], sale.valor, sale.data_vencimento,
            "boleto", 301, estado=state, valor_taxa=-350, lancamento_ids=(sale.id,),
            valor_pago=None if state in ("pendente", "agendado") else sale.valor,
            data_a_transferir=None if state == "pendente" else arrived,
            data_transferido=(sale.data_pagamento or arrived) if state == "transferido" else None,
            data_cancelamento=arrived if place == 4 else None,
        )  # fmt: skip


def _bank(company: Company, day: date) -> None:
    """Let the banks show what was paid until a day: most of it, fees, what the books lack, a receipt sent back."""
    rng = company.rng
    for entry in list(company.books.lancamentos.values()):
        paid = entry.data_pagamento
        if entry.conta_id in company.lines and paid and paid <= day.isoformat() and entry.id not in company.banked:
            company.banked.add(entry.id)
            lag = rng.choice((0, 0, 0, 0, 1, 2))
            if entry.valor and rng.random() < 0.94:
                shown = date.fromisoformat(paid) + timedelta(lag)
                company.lines[entry.conta_id].append((shown, entry.valor, f"PAGTO {entry.id}"))
    for conta, lines in company.lines.items():
        lines.append((day - timedelta(1), -3_590 - rng.randrange(9), "TARIFA PACOTE"))
        opened = [
            one for one in company.books.lancamentos.values()
            if one.conta_id == conta and not one.data_pagamento and one.valor
            and one.data_vencimento < (day - timedelta(31)).isoformat()
        ]  # fmt: skip
        if opened and rng.random() < 0.7:  # the bank paid what the books have open
            one = rng.choice(opened)
            lines.append((date.fromisoformat(one.data_vencimento) + timedelta(rng.randrange(3)), one.valor, "DEB AUT"))
        if rng.random() < 0.5:
            lines += [(day - timedelta(4), 630_315, "TED"), (day - timedelta(3), -630_315, "ESTORNO TED")]


def write_statements(company: Company, folder: Path, day: date, days: int) -> None:
    """Write what each bank lets download on a day: some days back, the balance of the eve; files overlap."""
    folder.mkdir(parents=True, exist_ok=True)
    for conta, lines in company.lines.items():
        first, last = day - timedelta(days), day - timedelta(1)
        told = sorted(line for line in lines if first <= line[0] <= last)
        held = company.openings[conta] + sum(value for when, value, _ in lines if when <= last)
        text = "".join(
            f"<STMTTRN><DTPOSTED>{when:%Y%m%d}<TRNAMT>{format_money(value)}<FITID>0<MEMO>{memo}</STMTTRN>\n"
            for when, value, memo in told
        )
        (folder / f"{conta}_{day}.ofx").write_text(
            f"<OFX><STMTTRNRS><STMTRS><BANKACCTFROM><BANKID>{conta}<ACCTID>{conta}</BANKACCTFROM>\n<BANKTRANLIST>"
            f"<DTSTART>{first:%Y%m%d}<DTEND>{last:%Y%m%d}\n{text}</BANKTRANLIST>\n"
            f"<LEDGERBAL><BALAMT>{format_money(held)}<DTASOF>{last:%Y%m%d}</LEDGERBAL></STMTRS></STMTTRNRS></OFX>\n",
            encoding="utf-8",
        )


def write_settings(company: Company, folder: Path, base_url: str) -> Settings:
    """Write the settings: four accounts, a map, two scopes, two scenarios, people at the desks, a closing."""
    rng = random.Random(company.seed)  # noqa: S311 - test data, no secret
    mapa = MAPS[company.seed % len(MAPS)]
    accounts = "".join(
        f'\n[[empresa.conta]]\nconta_id = {conta}\ndescricao = "{account.descricao}"\n'
        + (f'extrato = ["{conta}/{conta}"]\n' if conta in BANKED else 'extrato = ["nenhum"]\n')
        + ('tipo = "cartao"\n' if conta == CARD else "")
        for conta, account in company.books.contas.items()
    )
    pairs = ", ".join(f'{key} = "{group}"' for key, group in mapa.items())
    own = ""
    if company.seed:
        own = (
            f'venc_regra = "{rng.choice(("corrido", "dia_util"))}"\n'
            f'competencia_nula = "{rng.choice(("vencimento", "caixa", "excluir"))}"\n'
            f'categorias_antecipam = {rng.choice(([], [ICMS, INSS]))}\nsaldo_minimo = "{rng.choice((0, 5000))}.00"\n'
        )
    path = folder / "lastro.toml"
    path.write_text(
        f'dir = "dados"\nfuso = "America/Sao_Paulo"\n\n[[empresa]]\nid = "serra"\nnome = "Serra"\n'
        f'base_url = "{base_url}"\ntoken_env = "{TOKEN_VARIABLE}"\nlimites = []\nresponsaveis = ["Ana", "Bia"]\n'
        f'aprovadores = ["Caio"]\naprovacao_minima = "20000.00"\n{accounts}\n[empresa.parametros]\n'
        f'dre_mapa = {{ {pairs} }}\nfechamento = "dia_util:3"\nfechamento_sem_mapa = true\n'
        f'centros = {{ 201 = "Matriz", 202 = "Campinas" }}\n{own}\n'
        '[[empresa.recorte]]\nnome = "Campinas"\ncentros = [202]\n\n[[empresa.recorte]]\nnome = "Alfa"\n'
        f"contas = [{BANK_A}]\n\n"
        '[[empresa.cenario]]\nnome = "Aperto"\ncalote_pct = 35\n'
        f"atrasos = [{{ pessoa_id = {CUSTOMERS[0]}, dias = 20 }}]\n"
        f'avulsos = [{{ data = {company.today + timedelta(12)}, valor = "-15000.00" }}]\n',
        encoding="utf-8",
    )
    return load_settings(path, {}, folder)


def write_typed(company: Company, folder: Path) -> None:
    """Write the budget of the year with a revision and a line that nobody understands, and typed balances."""
    folder.mkdir(parents=True, exist_ok=True)
    year, rng = company.today.year, random.Random(company.seed + 1)  # noqa: S311 - test data, no secret
    rows = [f"categoria_id;versao;{';'.join(f'{year}-{month:02d}' for month in range(1, 13))}"]
    for category, amount in (
        (11, "82.000,00"),
        (12, "9.000,00"),
        (21, "6.200,00"),
        (22, "29.000,00"),
        (24, "15.500,00"),
    ):
        rows.append(f"{category};original{12 * f';{amount}'}")
    rows.append(f"11;revisado{10 * ';'};64.000,00;64.000,00")
    rows.append(f"{UNKNOWN};original;1.500")
    (folder / "orcamento.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    day = company.today - timedelta(120)
    typed = [f"{day};{CASH};1.250,00;contado", f"{day};{CARD};-820,00;fatura"]
    if company.seed and not company.with_statements:
        typed += [f"{day};{BANK_A};90.000,00;", f"{day + timedelta(60)};{BANK_A};71.500,00;"]
    if rng.random() < 0.6:
        typed.append(f"{company.today - timedelta(3)};{CASH};990,10;contado")
    (folder / "saldos.csv").write_text("data;conta;saldo;nota\n" + "\n".join(typed) + "\n", encoding="utf-8")


@dataclass
class Mornings:
    """The days that a company lives through, its runs, and how each was judged."""

    company: Company
    settings: Settings
    day: date
    results: list[tuple[str, RunResult]] = field(default_factory=list)

    @classmethod
    def begin(cls, company: Company, folder: Path, base_url: str) -> Mornings:
        """Write what stands beside the books on the first morning."""
        own = cls(company, write_settings(company, folder, base_url), company.today)
        write_typed(company, own.entrada)
        if company.with_statements:
            write_statements(company, own.entrada / "extratos", company.today, 200)
        return own

    @property
    def entrada(self) -> Path:
        """The folder of what people type."""
        return self.settings.entrada(self.settings.empresas[0])

    def run(self, name: str, **asked: Any) -> RunResult:
        """Run, and keep what came of it under a name."""
        result = run_served(self.settings, self.day, **asked)
        self.results.append((name, result))
        return result

    def pass_to(self, day: date, *, statements: bool = True) -> None:
        """Live on: payments, a receipt in part, a deletion, an amended year; then the next morning's files."""
        company, rng, books = self.company, self.company.rng, self.company.books
        company.today, books.hoje = day, day.isoformat()
        opened = [
            one for one in books.lancamentos.values()
            if one.data_pagamento is None and one.data_vencimento <= day.isoformat() and one.valor and one.categoria_id
            and one.lancamento_composto_id is None and one.categoria_id not in TAXES
        ]  # fmt: skip
        for one in rng.sample(opened, min(4, len(opened))):
            books.change_entry(one, data_pagamento=(day - timedelta(rng.randrange(3))).isoformat())
        parted = [one for one in opened if one.valor > 100_000 and not one.data_pagamento]
        if parted:
            one = rng.choice(parted)
            part = one.valor * 2 // 5
            company.add(
                one.valor - part, one.categoria_id, date.fromisoformat(one.data_vencimento), None, one.pessoa_id,
                data_competencia=one.data_competencia, descricao=f"{one.descricao} (saldo)",
                centro_custo_lucro_id=one.centro_custo_lucro_id, conta_id=one.conta_id,
            )  # fmt: skip
            books.change_entry(one, valor=part, data_pagamento=day.isoformat())
        free = [
            one for one in opened if not one.data_pagamento and books.charge_of(one.id) is None and one.grupo_id is None
        ]
        if free:
            books.remove_entry(rng.choice(free))
        for one in books.lancamentos.values():
            if one.data_vencimento < (day - timedelta(330)).isoformat() and not one.data_pagamento:
                books.change_entry(one, data_vencimento=(day + timedelta(15)).isoformat())
                break
        company.add(rng.randrange(100_000, 900_000), 12, day, day, rng.choice(CUSTOMERS))
        _bank(company, day)
        if company.with_statements and statements:
            write_statements(company, self.entrada / "extratos", day, 25)
        self.day = day

    def type_notes(self) -> None:
        """Type into both desks what a clerk would: days, postponements, an account, promises, lines of statements."""
        rng = self.company.rng
        folder = self.settings.dir / "serra" / "relatorios"
        paying = max(folder.glob("pagamentos_*.xlsx"))
        book = openpyxl.load_workbook(paying)
        _type_rows(
            book["Decidir"], "titulo_id", rng,
            (
                {"Pagar em": self.day + timedelta(3), "Responsável": "Ana"},
                {"Adiar para": self.day + timedelta(40), "Anotação": "negociar"},
                {"Pagar em": self.day, "Conta": "Banco Beta"},
                {"Pagar em": self.day + timedelta(60), "Aprovado por": "Caio"},
                {"Pagar em": "sexta"},
            ),
        )  # fmt: skip
        _type_rows(
            book["Já pagos"], "titulo_id", random.Random(self.company.seed),  # noqa: S311 - test data, no secret
            ({"Resposta": "pago"}, {"Resposta": "Em parcelamento"}, {"Resposta": "devo"}, {"Resposta": "talvez"}),
        )  # fmt: skip
        if "Extrato" in book.sheetnames:
            _type_rows(book["Extrato"], "extrato_id", rng, ({"Ignorar": "Sim"}, {"Anotação": "ver com o banco"}))
        book.save(paying)
        calling = max(folder.glob("cobranca_*.xlsx"))
        book = openpyxl.load_workbook(calling)
        _type_rows(
            book["Fila"], "pessoa_id", rng,
            (
                {"Resultado": "Prometeu", "Promessa": self.day + timedelta(4), "Valor prometido": 15000},
                {"Promessa": self.day + timedelta(9), "Anotação": "liga de novo"},
                {"Valor prometido": "R$ 2.000"},
            ),
        )  # fmt: skip
        book.save(calling)

    def list_faults(self) -> list[str]:
        """Say what is wrong with the runs: what failed with severity erro, what was not judged, scopes not trusted."""
        faults = []
        for name, result in self.results:
            faults += [f"{name}: {check.id} {check.detalhe}" for check in result.failed]
            faults += [f"{name}: {fault}" for fault in list_other_proposals(result)]
            skipped = {check.id for check in result.verifications if check.situacao == NAO_SE_APLICA}
            faults += [f"{name}: {rule} não se aplica" for rule in sorted(skipped - self._excuse(result))]
            for path in result.workbooks:
                if path.name.startswith("gerencial_") and "NÃO CONFIÁVEL" in _read_head(path):
                    faults.append(f"{name}: {path.name} NÃO CONFIÁVEL")
            for path in (one for one in result.paginas if one.suffix == ".html"):
                faults += [f"{name}: {fault}" for fault in list_page_faults(path)]
        return faults

    def _excuse(self, result: RunResult) -> frozenset[str]:
        """Name the checks that have nothing to compare in a run, and may say so."""
        first = result is self.results[0][1]
        before = result.data_base <= self.results[0][1].data_base
        excused = WITHOUT_BEFORE | OF_ONE_BALANCE if first or before else OF_OLD_RUNS
        if result.data_base < self.results[0][1].data_base:
            excused |= {"V19"}  # it may lie before the first balance of a statement
        if {conta_id for (conta_id,) in ask(result, CONTRADICTED)} >= set(BANKED):
            excused |= {"V19"}  # files that deny each other open nothing, and Q24 says so of each account (S23)
        if result.tipo == Modo.QUENTE:
            excused |= OF_A_READING
        if result.retroativa:
            excused |= OF_WHAT_CAME | OF_ONE_BALANCE
        return excused


def list_other_proposals(result: RunResult) -> list[str]:
    """Name the transfers that only one of *Fazer* and *Contas* proposes."""
    asked = "SELECT 'em ' || strftime(data_vencimento, '%d/%m') || ' ' || descricao FROM mart.fazer WHERE regra = 'F9'"
    fazer = {re.sub(r"^(em \S+) (\S+) de (.+) para .+$", r"\1 trazer \2 de \3", text) for (text,) in ask(result, asked)}
    contas = {text for (text,) in ask(result, "SELECT proposta FROM mart.pagamentos_contas WHERE proposta <> ''")}
    return sorted(fazer ^ contas)


def list_page_faults(path: Path) -> list[str]:
    """Name what no owner reads: numbers of rules, commands, what is cut; and a badge that counts otherwise."""
    text = html.unescape(re.sub(r"<[^>]+>", "\n", path.read_text(encoding="utf-8")))
    faults = [line for line in text.splitlines() if _NOT_FOR_OWNERS.search(line)]
    badge = re.search(r"(\d+) erros? · (\d+) alertas?", text)
    more = sum(map(int, re.findall(r"e mais (\d+) em Qualidade", text)))  # of the least grave, which are alerts
    shown = (len(re.findall(r"(?m)^Erro: ", text)), len(re.findall(r"(?m)^Alerta: ", text)) + more)
    if badge is None or tuple(map(int, badge.groups())) != shown:
        faults.append(f"{badge}, but {shown} below")
    return faults


def _read_head(path: Path) -> str:
    """Read the first rows of the cover of a workbook."""
    book = openpyxl.load_workbook(path, read_only=True)
    try:
        rows = book.worksheets[0].iter_rows(max_row=6, values_only=True)
        return " ".join(str(cell) for row in rows for cell in row if cell is not None)
    finally:
        book.close()


def _type_rows(ws: Any, key: str, rng: random.Random, typed: tuple[dict[str, Any], ...]) -> None:
    keys = list(rows_of(ws, key))
    rows = {ws.cell(row, column).value: row for row in range(5, ws.max_row + 1) for column in [_place(ws, key)]}
    for number, values in zip(rng.sample(keys, min(len(keys), len(typed))), typed, strict=False):
        put(ws, rows[number], **values)


def _place(ws: Any, key: str) -> int:
    return next(cell.column for cell in ws[4] if cell.value == key)
