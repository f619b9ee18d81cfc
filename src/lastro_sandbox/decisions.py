"""What the document leaves open, chosen once.

Every constant here answers a question that the document does not; ``DECISIONS`` says each choice in words and the
sandbox's own page (README.md of this package) lists the same texts, which a test compares. Code elsewhere reads the
constants and never repeats a choice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Dialect = Literal["documento", "observado"]
CountShape = Literal["indice", "lista", "numero", "count", "ilegivel"]
CompositeShape = Literal["A", "B", "C", "D", "T"]

DIALECTS: Final[tuple[Dialect, ...]] = ("documento", "observado")
COUNT_SHAPES: Final[tuple[CountShape, ...]] = ("indice", "lista", "numero", "count", "ilegivel")
COMPOSITE_SHAPES: Final[tuple[CompositeShape, ...]] = ("A", "B", "C", "D", "T")
DEFAULT_COUNT_SHAPE: Final[dict[Dialect, CountShape]] = {"documento": "count", "observado": "indice"}
DEFAULT_COMPOSITE_SHAPE: Final[dict[Dialect, CompositeShape]] = {"documento": "A", "observado": "D"}

LIMIT_DEFAULT: Final = 50
LIMIT_MAX: Final = 500
CHARGES_PAGE: Final = 50

CHARGE_STATUS: Final[dict[str, tuple[int, str]]] = {
    "pendente": (1, "Pendente"),
    "cliente_pagou": (2, "Cliente pagou"),
    "transferindo": (3, "Transferindo"),
    "transferido": (4, "Transferido"),
    "agendado": (5, "Agendado"),
}

CLASSIFICATION_MIXED: Final = (0, 3)
CLASSIFICATION_CUSTOMER: Final = 1
CLASSIFICATION_KINDS: Final = (0, 1, 2, 3)

PERIODS: Final[dict[str, tuple[int, int]]] = {
    "D7": (7, 0),
    "D15": (15, 0),
    "M1": (0, 1),
    "M2": (0, 2),
    "M3": (0, 3),
    "M6": (0, 6),
    "M12": (0, 12),
}
"""``periodicidade`` -> days or months of one step."""
OBSERVED_PERIODS: Final = ("DS", "D1")
PERIOD_DEFAULT: Final = "M1"
HORIZON_MONTHS: Final = 12
REPETITIONS_MAX: Final = 1000
ITEMS_MAX: Final = 200
BOOKED_MAX: Final = 5000  # entries that one request may book, repetitions times items

FINE_DEFAULT: Final = 200  # percentual_multa in hundredths of a percent
ISSUE_DAYS_DEFAULT: Final = 5
CHARGE_METHODS: Final[dict[str, int]] = {"boleto": 301, "cartao_credito": 302, "pix": 303}
CHARGE_FEES: Final[dict[str, int]] = {"boleto": -350, "cartao_credito": -899, "pix": -199}
BANKS: Final[dict[int, str]] = {
    1: "Banco do Brasil", 33: "Santander", 104: "Caixa Econômica Federal", 237: "Bradesco", 341: "Itaú",
}  # fmt: skip
COST_LEVELS: Final[dict[int, str]] = {1: "Custo fixo", 2: "Custo variável"}
COST_SHARES: Final[dict[int, str]] = {1: "Custo direto", 2: "Custo indireto"}
FEE_TEXT: Final = "Taxa de cobrança"

ATTACHMENT_MAX: Final = 10 * 1024 * 1024
BODY_MAX: Final = 12 * 1024 * 1024
TEXT_MAX: Final = 255
NOTE_MAX: Final = 4000
ADVANCE_MAX: Final = 3660

ENTRY_TYPES: Final = ("P", "R", "LP", "LR", "PA", "RA", "DT")


@dataclass(frozen=True, slots=True)
class Decision:
    """One open point of the document and what the sandbox does."""

    topic: str
    choice: str


DECISIONS: Final[tuple[Decision, ...]] = (
    Decision(
        "Order of `GET /v1/lancamentos`",
        "ascending by the date of the regime asked for, then by id; an entry without competence stands at its due date",
    ),
    Decision("Order of `GET /v1/cobrancas`", "ascending by `data_vencimento`, then by id"),
    Decision(
        "`tipo_view=count`",
        '`{"count": N}` in `documento`, `{"0": N}` in `observado`; `--forma-count` chooses another shape',
    ),
    Decision("`tipo_view=list`", 'an array of `{"id", "descricao"}`; `limit` and `start` hold for it too'),
    Decision(
        "Any other `tipo_view`, unknown parameters", "ignored: full records (public programs send `tipo_view=detail`)"
    ),
    Decision("`limit` above 500", "read as 500; 0 or less is refused"),
    Decision("`conta_id=all`", "the entries of all accounts (public programs ask for it)"),
    Decision("`tag_id=1&2` with plain ampersands", "read as `1&2`; escaped (`1%262`) it is the same"),
    Decision(
        "One of `data_inicio`, `data_fim` alone on entries",
        "ignored, as the document says that the filter does not work then",
    ),
    Decision("Null `data_competencia` in a range of `regime=competencia`", "not in it"),
    Decision(
        "`tipo=P`, `R`",
        "every negative, every positive entry, paid or not, transfer legs included; zero amounts in neither",
    ),
    Decision("`tipo=PA`, `RA`", "open and due before today; due today is not overdue; transfer legs included"),
    Decision(
        "A composite in the dialect `documento`",
        "its items are nested in the entry that carries them and are no rows (`--forma-composto` A); the "
        "carrier's `valor` excludes them",
    ),
    Decision(
        "Shapes of composites",
        "`--forma-composto` A nested (the default of `documento`), B rows only, C rows and nested in the "
        "carrier, D every row nests its siblings, T nested with the carrier's `valor` as the total; create "
        "and update answer with the items in every shape",
    ),
    Decision(
        "Optional fields of an item's answer",
        "a key is there only if the item named it; otherwise those of the carrier hold",
    ),
    Decision(
        "Filters on a composite whose items are nested",
        "person, category and cost centre match the entry or one of its items",
    ),
    Decision(
        "What a composite shares",
        "account, due, payment and competence dates, automatic settlement: changed on one, changed on all",
    ),
    Decision("Deleting an entry that carries items", "deletes the items; deleting the last item leaves a simple entry"),
    Decision(
        "Deleting a leg of a transfer through `/v1/lancamentos`", "deletes both legs; editing one there is refused"
    ),
    Decision(
        "`periodicidade` alone, without total or `infinito`",
        "one entry that shows the period; a total or `infinito` without a period repeats monthly",
    ),
    Decision(
        "`total_repeticoes`",
        "counts all entries of the series, the first included; at most 1000, and with 200 items at most "
        "5000 entries in one request",
    ),
    Decision(
        "`infinito`, and `parcelas` left out",
        "generated up to a year after today or the first date; the clock generates more",
    ),
    Decision("`D15`", "15 days; months keep the day, clamped to the end of a shorter month"),
    Decision("Repetition of a paid entry", "only the first is paid; due and competence dates move by the period"),
    Decision("`numero_repeticao`, `total_repeticoes` of a single entry", "1 and 1"),
    Decision(
        "`propagar_alteracao`",
        "following entries of the series take the sent fields; dates move by the period, payment dates stay, "
        "items go by their place",
    ),
    Decision("`pagamento_automatico` with a due date already reached", "settled at once, on the due date"),
    Decision(
        "An empty field on PUT",
        "unsets it (`data_pagamento=` reopens the entry); required fields can't be emptied; the word `null` "
        "counts as empty except in free text",
    ),
    Decision(
        "`pessoa_id`",
        "must exist and be active; customer or supplier is not compared with the sign, because refunds go the"
        " other way",
    ),
    Decision(
        "Cost centre, payment method, tag, document and cost type, city, bank ids",
        "any id of 0 or more is accepted, since the document has no list of them; 0 is no link",
    ),
    Decision("Amounts", "at most two significant decimals; more are refused, never rounded"),
    Decision("Dates", "between 1900 and 2999"),
    Decision("`modified`", "the sandbox's day and a time that moves one second with each change"),
    Decision(
        "Charge states",
        "1 Pendente, 2 Cliente pagou, 3 Transferindo, 4 Transferido, 5 Agendado; `agendado` becomes "
        "`pendente` `dias_para_emissao` days before the due date",
    ),
    Decision(
        "A cancelled charge",
        "keeps its status and has `data_cancelamento`; no `status` filter finds it; cancelling again keeps the date",
    ),
    Decision(
        "Entries of a charge",
        "one row for each item; several share a `lancamento_composto_id` and are rows in every shape; editing"
        " or deleting them does not change the charge",
    ),
    Decision(
        "`valor_taxa`",
        "-3.50 slip, -1.99 pix, -8.99 card; 0.00 once an unpaid charge is cancelled; `observado` also books "
        "it as a negative row of the composite",
    ),
    Decision(
        "Payment of a charge",
        "by the clock, seeded; late: the fine and 1% a month by days; its entries are settled that day, the "
        "money moves a day later and arrives two days later",
    ),
    Decision("E-mails", "nothing is sent; `/_sandbox/estado` lists what would have been"),
    Decision("Kind of a category", "a new child takes its parent's, a new root is mixed (0)"),
    Decision(
        "An active category below an inactive one", "stands at the top of the list that leaves the inactive one out"
    ),
    Decision("`tipo_view=children`", "a flat list of the categories that have a parent, each without its own children"),
    Decision("Deleting a category", "its children move up to its parent"),
    Decision(
        "`tipo_classificacao_id`", "1 customer, 2 supplier, 0 and 3 mixed; not compared with the field that names it"
    ),
    Decision(
        "Deleting a customer who is also a supplier (and the reverse)",
        "takes the role away and keeps the record; `migracao_id` then moves the entries of that role's sign",
    ),
    Decision(
        "Deleting without `migracao_id`",
        "entries keep pointing at the deleted person; people lose the deleted classification",
    ),
    Decision("Account record", "the request fields, `id` and `ativo`"),
    Decision("`with_url`", "adds `url`; nothing answers there"),
    Decision(
        "`estado`, `cidade` of a person", "`{id, sigla, nome}` and `{id, nome, estado_id}`; null for an unknown id"
    ),
    Decision("Attachment size", "at most 10 MiB; a whole body at most 12 MiB (413)"),
    Decision(
        "Errors",
        '`{"errors": {field: [text]}}` with 422 for wrong values (all at once), 401 without or with a wrong '
        "token (`observado`: 403 for a wrong one), 404, 405, 400 for a body that can't be read, 413",
    ),
    Decision("Status of a success", "200, also for creation; `observado`: 201 for POST"),
    Decision("`data_competencia` left out on create", "null; `observado`: the due date"),
    Decision(
        "Several values of `tipo`", "refused; `observado`: joined with `|`, any of them, and `DT` takes transfers out"
    ),
    Decision("Items of a PUT without `id`", "refused; `observado`: new ones, also in the entries that follow"),
    Decision("A CPF or CNPJ that somebody has", "accepted; `observado`: refused"),
    Decision("A category with children in an entry", "accepted; `observado`: refused, only leaves take entries"),
    Decision("The body of a GET", "not read; `observado`: its parameters count"),
    Decision(
        "`GET /v1/contas/:id` of `observado`",
        "the account, `saldo`, and under `lancamentos` its opening balance as an entry (id 0 where it is not listed)",
    ),
    Decision(
        "Content type",
        "no header and `text/plain` are read as a form, multipart is accepted everywhere, JSON only in "
        "`observado`; parameters in the query count as in the body, which wins",
    ),
    Decision("Paths", "`.json` and a slash at the end are accepted on all of them"),
    Decision(
        "Bracket notation",
        "a new element begins when a name comes that the last one already has; numbered brackets and whole "
        "columns are read too",
    ),
)
"""In the order of the sandbox's page, which lists them in the same words."""


def wrap_count(total: int, shape: CountShape) -> object:
    """Dress the number of matches in one of the shapes that were seen for ``tipo_view=count``.

    >>> [wrap_count(3, shape) for shape in COUNT_SHAPES]
    [{'0': 3}, [3], 3, {'count': 3}, {'total': 'três'}]
    """
    if shape == "indice":
        return {"0": total}
    if shape == "lista":
        return [total]
    if shape == "numero":
        return total
    if shape == "count":
        return {"count": total}
    return {"total": "três"}
