"""What the bank of a served company would let download: OFX files of its accounts, with the habits of such files.

Two files an account, of periods that overlap: the first in cp1252 though it says UTF-8, the second without a header;
every FITID is "0". The bank has what the books have paid, but a charge arrives net on the day of its transfer, a fee a
month that nobody booked, and on the first account the payment of a payable that the books still have as open.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import date, timedelta
from typing import Final

from lastro_sandbox.ledger import Books
from lastro_sandbox.model import Account, format_money

BANK: Final = "341"
DAYS: Final = 180
OVERLAP: Final = 10
FEE: Final = -3590
_HEADER: Final = "OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nENCODING:UTF-8\nCHARSET:NONE\n\n"
Line = tuple[str, int, str]
"""Day, signed centavos, text."""


def make_bank_files(books: Books) -> dict[str, bytes]:
    """Make the files of every account in use: name -> content; the balance is that of the eve of the books' day."""
    files = {}
    accounts = sorted((one for one in books.contas.values() if one.ativo), key=lambda one: one.id)
    for place, account in enumerate(accounts):
        today = date.fromisoformat(books.hoje)
        first, last = today - timedelta(DAYS), today - timedelta(1)
        middle = today - timedelta(DAYS // 2)
        booked = _list_booked(books, account, first.isoformat())
        opening = books.balance(account) - sum(value for _, value, _ in booked)
        lines = sorted(_list_banked(books, account, booked, forgotten=not place))
        lines = [line for line in lines if line[0] <= last.isoformat()]
        early = [line for line in lines if line[0] <= middle.isoformat()]
        since = middle - timedelta(OVERLAP)
        late = [line for line in lines if line[0] >= since.isoformat()]
        held = opening + sum(value for _, value, _ in early)
        closing = opening + sum(value for _, value, _ in lines)
        files[f"{account.id}_a.ofx"] = (_HEADER + _write(account, first, middle, early, held)).encode(
            "cp1252", "replace"
        )
        files[f"{account.id}_b.ofx"] = _write(account, since, last, late, closing).encode("utf-8")
    return files


def _list_booked(books: Books, account: Account, since: str) -> list[Line]:
    """List what the books have as paid, as `Books.balance` adds it up."""
    carries_total = books.forma_composto == "T"
    start = max(since, account.data_saldo_inicial or "")
    return [
        (entry.data_pagamento, entry.valor, f"{entry.lancamento_composto_id or entry.id}")
        for entry in books.lancamentos.values()
        if entry.conta_id == account.id and entry.data_pagamento and start <= entry.data_pagamento <= books.hoje
        if entry.id not in books.saldos_lancados and not (carries_total and entry.item_de is not None)
    ]


def _list_banked(books: Books, account: Account, booked: Iterable[Line], *, forgotten: bool) -> list[Line]:
    """List what the bank has: composites and charges as one line, fees, what nobody settled."""
    payments: defaultdict[tuple[str, str], int] = defaultdict(int)
    for day, value, key in booked:
        payments[day, key] += value
    lines: list[Line] = []
    for charge in books.cobrancas.values():
        owned = [one for one in payments if one[1] in {str(number) for number in charge.lancamento_ids}]
        if charge.conta_id == account.id and charge.data_transferido and charge.valor_pago is not None and owned:
            for one in owned:
                del payments[one]
            lines.append((charge.data_transferido, charge.valor_pago - abs(charge.valor_taxa), "LIQUIDAÇÃO COBRANÇA"))
    lines += [(day, value, f"PAGTO P&J {key}") for (day, key), value in payments.items() if value]
    today = date.fromisoformat(books.hoje)
    lines += [((today - timedelta(30 * month + 3)).isoformat(), FEE, "TARIFA PACOTE") for month in range(DAYS // 30)]
    due = [
        entry
        for entry in books.lancamentos.values()
        if entry.conta_id == account.id and not entry.data_pagamento and entry.valor < 0
        and (today - timedelta(20)).isoformat() <= entry.data_vencimento < books.hoje
        and entry.lancamento_composto_id is None and entry.lancamento_transferencia_id is None
    ]  # fmt: skip
    if forgotten and due:
        first = min(due, key=lambda entry: entry.id)
        lines.append((first.data_vencimento, first.valor, "PIX ENVIADO"))
    return lines


def _write(account: Account, first: date, last: date, lines: Iterable[Line], balance: int) -> str:
    transactions = "".join(
        f"<STMTTRN>\n<TRNTYPE>OTHER\n<DTPOSTED>{day.replace('-', '')}220000[-3:BRT]\n"
        f"<TRNAMT>{format_money(value)}\n<FITID>0\n<MEMO>{text.replace('&', '&amp;')}\n</STMTTRN>\n"
        for day, value, text in lines
    )
    return (
        f"<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>BRL\n<BANKACCTFROM><BANKID>{BANK}\n<ACCTID>{account.id}\n"
        f"</BANKACCTFROM>\n<BANKTRANLIST><DTSTART>{first:%Y%m%d}\n<DTEND>{last:%Y%m%d}\n{transactions}</BANKTRANLIST>\n"
        f"<LEDGERBAL><BALAMT>{format_money(balance)}\n<DTASOF>{last:%Y%m%d}\n</LEDGERBAL>\n"
        "</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\n"
    )
