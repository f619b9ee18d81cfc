"""Which tags of an OFX file are structure, and which are text that somebody wrote into a transfer (S20).

Belongs here: names of tags and where they stand. Does not belong here: what their values mean (`lastro.bank.ofx`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

STATEMENTS: Final = frozenset({"STMTTRNRS", "CCSTMTTRNRS", "STMTRS", "CCSTMTRS", "INVSTMTRS"})
"""What begins a statement."""
ACCOUNTS: Final = frozenset({"BANKACCTFROM", "CCACCTFROM", "INVACCTFROM"})
"""What names its account."""
BALANCES: Final = frozenset({"LEDGERBAL", "AVAILBAL"})
"""What states a balance."""
_TEXTS: Final = frozenset({"MEMO", "NAME"})
"""Values that a stranger writes."""
VALUES: Final = _TEXTS | {
    "ACCTID", "ACCTTYPE", "BANKID", "BALAMT", "CURDEF", "CURSYM", "DTASOF", "DTEND", "DTPOSTED", "DTSERVER", "DTSTART",
    "FITID", "TRNAMT",
}  # fmt: skip
MEMBERS: Final = _TEXTS | {
    "ACCTID", "ACCTTYPE", "BANKACCTTO", "BANKID", "BRANCHID", "CCACCTTO", "CHECKNUM", "CURRENCY", "CURSYM", "DTAVAIL",
    "DTPOSTED", "DTUSER", "FITID", "ORIGCURRENCY", "PAYEEID", "REFNUM", "SIC", "TRNAMT", "TRNTYPE",
}  # fmt: skip
"""What a transaction holds."""
_OTHERS: Final = frozenset(
    {
        "BANKMSGSRSV1", "CODE", "CREDITCARDMSGSRSV1", "LANGUAGE", "OFX", "SEVERITY", "SIGNONMSGSRSV1", "SONRS",
        "STATUS", "TRNUID",
    }
)  # fmt: skip
PLACES: Final = STATEMENTS | ACCOUNTS | BALANCES | {"STMTTRN", "BANKTRANLIST"}
"""What says where values belong, and ends a transaction that is still open."""
KNOWN: Final = PLACES | VALUES | MEMBERS | _OTHERS
"""Names that may be structure; of any other, as of `<10% DESC`, the text is text."""
_TOKEN: Final = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9.]{1,19})>")
_UNKNOWN_TAGS: Final = re.compile(r"\s*+(?:</?[A-Za-z][A-Za-z0-9.]{0,31}>\s*+)*+")
_TAGS_ONLY: Final = re.compile(r"(?:[ \t\r]*+</?[A-Za-z][A-Za-z0-9.]{1,31}>)++[ \t\r]*+")
_ON_LINES: Final = re.compile(r"(?:^|\n)[ \t]*<STMTTRN>[ \t\r]*\n", re.IGNORECASE)
_BEGINS: Final = re.compile(r"(?:^|\n)[ \t]*<STMTTRN>", re.IGNORECASE)
_SIMPLE: Final = "|".join(sorted(MEMBERS - {"BANKACCTTO", "CCACCTTO", "CURRENCY", "ORIGCURRENCY"}))
_VALUE: Final = rf"[ \t]*<({_SIMPLE})>[^<\n]*+(?:</\{{}}>)?"
WHOLE: Final = re.compile(
    rf"<STMTTRN>(?:(?:{_VALUE.format(1)})*+[ \t]*</STMTTRN>(?=[ \t\r]*(?:\n|\Z))"
    rf"|[ \t\r]*\n(?:{_VALUE.format(2)}[ \t\r]*\n)*+[ \t]*</STMTTRN>)",
    re.IGNORECASE | re.ASCII,
)
"""A transaction on one line, or with each value on its own, in which no text has a tag: all of its tags count."""
_SIMPLE_VALUE: Final = re.compile(rf"<({'|'.join(sorted(VALUES & MEMBERS))})>([^<\n]*)", re.IGNORECASE | re.ASCII)
_OPENS: Final = re.compile(r"<STMTTRN>", re.IGNORECASE)
_CLOSES: Final = re.compile(r"</STMTTRN>", re.IGNORECASE)


class Tag(NamedTuple):
    """A tag that is structure: its name, whether it closes, where it begins and ends; of a whole transaction, all."""

    name: str
    closes: bool
    start: int
    end: int
    values: Sequence[tuple[str, str]] | None = None


class Structure:
    """Which tags of a text are structure: within a transaction a stranger may have written them (S20).

    Outside a transaction every known tag is. Within one: at a line's begin, or before any text on its line; behind a
    text only what closes that text, a member behind a tag, and what closes to the line's end. A transaction without a
    line end has its members, and its end, wherever they stand.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        begins = sum(1 for _ in _BEGINS.finditer(text))
        opens = sum(1 for _ in _OPENS.finditer(text))
        self._on_lines = bool(_ON_LINES.search(text)) or (begins > 2 and 2 * begins > opens)
        self._closes = bool(_CLOSES.search(text))
        self._inside = self._one_line = self._told = self._behind_tag = False
        self._value = ""
        self._tail = (0, False)

    def list_tags(self) -> Iterator[Tag]:
        """Yield the tags that are structure one by one, for there may be millions."""
        before = place = 0
        while found := _TOKEN.search(self._text, place):
            name, place = found[2].upper(), found.end()
            if name not in KNOWN:
                continue
            token = Tag(name, bool(found[1]), found.start(), place)
            if not self._inside and name == "STMTTRN" and (whole := WHOLE.match(self._text, token.start)):
                before = place = whole.end()
                yield token._replace(end=place, values=_SIMPLE_VALUE.findall(whole[0]))
                continue
            self._look_back(before, token.start)
            before = token.end
            if not self._inside or self._is_structure(token):
                self._take(token)
                yield token
            else:
                self._behind_tag = False

    def _look_back(self, before: int, start: int) -> None:
        """Tell what stands between the last tag and this one: a line's end, and text behind it."""
        line_end = self._text.rfind("\n", before, start)
        clean = _UNKNOWN_TAGS.fullmatch(self._text, max(before, line_end + 1), start) is not None
        if line_end >= 0:
            self._one_line, self._told = False, not clean
        self._behind_tag = self._behind_tag and clean

    def _is_structure(self, token: Tag) -> bool:
        if not self._told or (token.closes and token.name == self._value):
            return True
        if token.name in MEMBERS:
            return self._one_line or (self._behind_tag and self._value not in _TEXTS)
        if token.closes and self._closes_line(token.start):
            return True
        if self._on_lines or not self._one_line or token.name in BALANCES:
            return False
        return token.closes or (not self._closes and (token.name == "STMTTRN" or token.name in STATEMENTS))

    def _closes_line(self, start: int) -> bool:
        """Tell whether nothing but tags stands from here to the end of the line; each run is looked at once."""
        if start >= self._tail[0]:
            run = _TAGS_ONLY.match(self._text, start)
            end = run.end() if run else start + 1
            self._tail = end, end == len(self._text) or self._text[end] == "\n"
        return self._tail[1]

    def _take(self, token: Tag) -> None:
        """Go on behind a tag that is structure."""
        self._behind_tag = True
        self._value = "" if token.closes or token.name not in MEMBERS else token.name
        if self._value in _TEXTS:
            self._told = True
        elif token.name in PLACES:
            self._inside = token.name == "STMTTRN" and not token.closes
            if self._inside:
                self._one_line, self._told = True, False
