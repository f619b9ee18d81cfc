"""What the bank of a served company would let download: OFX files of its accounts, with the habits of such files.

Two files an account, of periods that overlap: the first in cp1252 though it says UTF-8, the second without a header;
every FITID is "0". The bank has what the books have paid, but a charge arrives on the day of its transfer, and on the
first account it paid a payable that the books still have as open.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import date, timedelta
from typing import Final

from lastro_sandbox.ledger import Books
from lastro_sandbox.model import Account, Entry, format_money

BANK: Final = "341"
DAYS: Final = 180
OVERLAP: Final = 10
FEE: Final = -3590
_HEADER: Final = "OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nENCODING:UTF-8\nCHARSET:NONE\n\n"
Line = tuple[str, int, str]
"""Day, signed centavos, text."""


def make_bank_files(books: Books, forgotten: int | None = None) -> dict[str, bytes]:
    """Make the files of every account in use: name -> content; the balance is that of the eve of the books' day.

    Args:
        forgotten: id of the payable that the bank has paid. Then that and one fee are all that the books of the first
            account lack, and only accounts of a bank have files; None: one of the last days, a fee a month on each
            account, and charges arrive net.
    """
    files = {}
    kept = [one for one in books.contas.values() if one.ativo and (one.banco_id or forgotten is None)]
    accounts = sorted(kept, key=lambda one: one.id)
    for place, account in enumerate(accounts):
        today = date.fromisoformat(books.hoje)
        first, last = today - timedelta(DAYS), today - timedelta(1)
        middle = today - timedelta(DAYS // 2)
        # What was on its way on the eve is no part of the opening: it arrives later.
        booked = _list_booked(books, account, (first - timedelta(OVERLAP)).isoformat())
        lines = _list_banked(books, account, booked, net=forgotten is None)
        if not place and (paid := _find_open(books, account, forgotten)) is not None:
            lines.append((paid.data_vencimento, paid.valor, "PIX ENVIADO"))
        months = DAYS // 30 if forgotten is None else int(not place)
        lines += [((today - timedelta(30 * month + 3)).isoformat(), FEE, "TARIFA PACOTE") for month in range(months)]
        earlier = sum(value for day, value, _ in lines if day < first.isoformat())
        opening = books.balance(account) - sum(value for _, value, _ in booked) + earlier
        lines = sorted(line for line in lines if first.isoformat() <= line[0] <= last.isoformat())
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
        (entry.data_pagamento, entry.valor, _name(entry))
        for entry in books.lancamentos.values()
        if entry.conta_id == account.id and entry.data_pagamento and start <= entry.data_pagamento <= books.hoje
        if entry.id not in books.saldos_lancados and not (carries_total and entry.item_de is not None)
    ]


def _list_banked(books: Books, account: Account, booked: Iterable[Line], *, net: bool) -> list[Line]:
    """List what the bank has of what is booked: a composite is one line, a charge comes when it is transferred."""
    payments: defaultdict[str, defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
    for day, value, key in booked:
        payments[key][day] += value
    lines: list[Line] = []
    for charge in books.cobrancas.values():
        if charge.conta_id != account.id or charge.data_cancelamento is not None or charge.valor_pago is None:
            continue
        entries = [books.lancamentos[number] for number in charge.lancamento_ids if number in books.lancamentos]
        owned = [payments.pop(key) for one in entries if (key := _name(one)) in payments]
        arrived = charge.data_transferido or charge.data_a_transferir
        if owned and arrived:
            gross = sum(value for days in owned for value in days.values())
            value = charge.valor_pago - abs(charge.valor_taxa) if net else gross
            lines.append((arrived, value, "LIQUIDAÇÃO COBRANÇA"))
    lines += [
        (day, value, f"PAGTO P&J {key}") for key, days in payments.items() for day, value in days.items() if value
    ]
    return lines


def _name(entry: Entry) -> str:
    return f"{entry.lancamento_composto_id or entry.id}"


def _find_open(books: Books, account: Account, forgotten: int | None) -> Entry | None:
    """Find the payable that the bank has paid and the books have open: the one given, else one of the last 20 days."""
    if forgotten is not None:
        return books.lancamentos[forgotten]
    since = (date.fromisoformat(books.hoje) - timedelta(20)).isoformat()
    due = [
        entry
        for entry in books.lancamentos.values()
        if entry.conta_id == account.id and not entry.data_pagamento and entry.valor < 0
        and since <= entry.data_vencimento < books.hoje
        and entry.lancamento_composto_id is None and entry.lancamento_transferencia_id is None
    ]  # fmt: skip
    return min(due, key=lambda entry: entry.id, default=None)


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
