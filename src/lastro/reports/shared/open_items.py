"""What R08 and R09 share: open títulos with their aging, by band, by due date, by person and one by one (S8).

Amounts keep their sign: payables are negative in every column, estimates of fines and interest included, so that
`Valor` + `Multa est.` + `Juros est.` = `Valor atualizado` on both sheets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from lastro.analysis.frames import ByKey, records_of
from lastro.grid.cells import Value
from lastro.grid.charts import BALANCE_TINT, OUT_COLOUR, ChartKind
from lastro.grid.pivot import build_total
from lastro.grid.prints import Columns, Print
from lastro.grid.sections import Mark, Row, Section
from lastro.grid.storage import store_labels, store_texts
from lastro.grid.table_rows import Leads
from lastro.grid.tables import Table
from lastro.grid.words import count_text
from lastro.money import ratio_pct
from lastro.reports.printing import Plot, Tables, mark_above, print_section
from lastro.reports.shared.drill_down import lead_by
from lastro.transform.charges import find_repasses
from lastro.transform.double_entries import REPEATED
from lastro.transform.labels import Labels
from lastro.transform.position import FAIXA_KEYS, FAIXAS, MISTYPED, is_open

if TYPE_CHECKING:
    from lastro.reports.view import View

EVER: Final = 10**6
"""Days ahead that no due date reaches."""
FORWARD: Final = (
    ("Hoje", 0, 0), ("1-7", 1, 7), ("8-15", 8, 15), ("16-30", 16, 30), ("31-60", 31, 60), ("61-90", 61, 90),
    (">90", 91, EVER),
)  # fmt: skip
"""Forward buckets in days to the reference date (S8)."""
TOP_PEOPLE: Final = 20
CHART_PEOPLE: Final = 8
FAIXA_COLOURS: Final = (BALANCE_TINT, "FFE082", "FFB74D", "F57C00", "E57373", OUT_COLOUR)
"""Aging bands as a chart paints them: not late in the tint of balances, then from yellow to red."""
VARIAS: Final = "Várias"
SEM_COBRANCA: Final = "sem cobrança"
REPASSE: Final = "repasse"
"""What stands in the place of a charge where an acquirer passes the money on (S12)."""
PAID_CHARGE: Final = "cobrança consta paga"
LATE_DAYS: Final = 90
ESTIMATE_NOTE: Final = (
    "Multa e juros são estimativa contratual (juros simples por dia de mora); não entram em nenhum fluxo de caixa."
)
EFFECTIVE_NOTE: Final = "Vencido efetivo = vencido menos em carência (pode ser pago hoje sem encargos, Lei 7.089/1983)."
PARENTS: Final = (
    "pessoa_id", "conta_id", "categoria_id", "centro_custo_lucro_id", "forma_pagamento_id", "grupo_id",
)  # fmt: skip
"""Ids that only SQL has, as in `Position.titulos`."""


@dataclass(frozen=True)
class OpenSide:
    """One side of what is open.

    Attributes:
        report: its report.
        tipo: "P" or "R".
        name: of the table of títulos; those of the summaries begin with it.
        signed: what SQL is told of the sign of a sum; "" where amounts are positive.
    """

    report: str
    tipo: str
    name: str
    signed: str

    def about(self, of_what: str) -> Mapping[str, str]:
        """Say what an amount sums, where it is negative."""
        return {"valor": f"soma dos títulos {of_what}, {self.signed}"} if self.signed else {}


_WIDTHS: Final = {"situacao": 14, "parcela": 10, "faixa": 11, "pagamento_automatico": 12}
PAYABLE: Final = OpenSide("R08", "P", "a_pagar", "negativa")
RECEIVABLE: Final = OpenSide("R09", "R", "a_receber", "")


def select_open(view: View, tipo: str) -> pd.DataFrame:
    """Keep the open títulos of one type, transfers left out, `fora_resultado` kept (S9), in printing order.

    Args:
        view: gives the position.
        tipo: "P" payables or "R" receivables; zero-value títulos are of neither (S8).

    Returns:
        Sorted by days late descending, |value| descending, id; RangeIndex.
    """
    titulos = view.position.titulos
    kept = titulos[is_open(titulos) & (titulos["tipo"] == tipo)]
    keyed = kept.assign(tamanho=kept["valor_centavos"].abs())
    by = ["dias_de_atraso", "tamanho", "titulo_id"]
    ordered = keyed.sort_values(by, ascending=[False, False, True], ignore_index=True)
    return ordered.drop(columns="tamanho")


def _summarize(parts: Sequence[pd.DataFrame], total: int) -> dict[str, list[Value]]:
    """Make the columns of a summary: count, sum, share of the total and number of people of each part.

    All of one side has one sign (S8), so that a share is that of both without it.
    """
    sums = [int(part["valor_centavos"].sum()) for part in parts]
    return {
        "qtde": [len(part) for part in parts],
        "valor": [*sums],
        "pct_do_total": [ratio_pct(abs(valor), abs(total)) for valor in sums],
        "pessoas": [int(part["pessoa_id"].nunique()) for part in parts],
    }


def list_bands(side: OpenSide, view: View) -> Columns:
    """Sum by aging band."""
    open_ = view.once(select_open, side.tipo)
    parts = [open_[open_["faixa"] == faixa] for faixa in FAIXAS]
    return {"faixa": list(FAIXAS), **_summarize(parts, int(open_["valor_centavos"].sum()))}


def list_parts(side: OpenSide, view: View) -> Columns:
    """Sum all, and the parts of the overdue; of receivables also those whose charge the customer already paid."""
    open_ = view.once(select_open, side.tipo)
    late, grace, paid = open_["vencido"], open_["em_carencia"], open_["cobranca_paga"]
    parts = {
        ("total", "Total"): open_,
        ("vencido", "Vencido"): open_[late],
        ("em_carencia", "Em carência"): open_[grace],
        ("vencido_efetivo", "Vencido efetivo"): open_[late & ~grace],
    }
    if side is RECEIVABLE:
        parts[("com_cobranca_paga", "Vencido com cobrança paga")] = open_[late & paid]
        parts[("sem_explicacao", "Vencido sem explicação")] = open_[late & ~grace & ~paid]
    codes, texts = zip(*parts, strict=True)
    return {"codigo": codes, "linha": texts, **_summarize(list(parts.values()), int(open_["valor_centavos"].sum()))}


def list_terms(side: OpenSide, view: View) -> Columns:
    """Sum what is not late by days to the reference date (S8)."""
    ahead, days = _find_ahead(side, view)
    parts = [ahead[(days >= first) & (days <= last)] for _, first, last in FORWARD]
    labels = [label for label, *_ in FORWARD]
    return {"vence_em_dias": labels, **_summarize(parts, int(ahead["valor_centavos"].sum()))}


def _find_ahead(side: OpenSide, view: View) -> tuple[pd.DataFrame, pd.Series]:
    open_ = view.once(select_open, side.tipo)
    ahead = open_[~open_["vencido"]]
    return ahead, -ahead["dias_de_atraso"].astype("int64")


def _total_terms(side: OpenSide, view: View, table: Table) -> Sequence[Row]:
    """Sum the rows; a person may stand in several: how many there are in all, no table has."""
    ahead, _ = _find_ahead(side, view)
    summed = build_total(table.columns, [Row(cells) for cells in table.rows], "Total", only=("qtde", "valor"))
    whole = _summarize([ahead], int(ahead["valor_centavos"].sum()))
    return (replace(summed, cells=(*summed.cells[:3], *whole["pct_do_total"], *whole["pessoas"])),)


def list_people(side: OpenSide, view: View) -> Columns:
    """List person x band: the 20 largest by |open value| (ties by id), the others together, "Sem pessoa" last."""
    open_ = view.once(select_open, side.tipo)
    by_band = open_.groupby(["pessoa_id", "faixa"], dropna=False)["valor_centavos"].sum().unstack("faixa", fill_value=0)
    by_band = by_band.reindex(columns=list(FAIXAS), fill_value=0).reset_index()
    sums = {pessoa_id: bands for pessoa_id, *bands in records_of(by_band, "pessoa_id", *FAIXAS)}
    nobody = sums.pop(None, None)
    largest, label = sorted(sums, key=lambda one: (-abs(sum(sums[one])), one)), view.position.rotulos.pessoa
    rows = [(label(pessoa_id), sums[pessoa_id], pessoa_id) for pessoa_id in largest[:TOP_PEOPLE]]
    if rest := [sums[pessoa_id] for pessoa_id in largest[TOP_PEOPLE:]]:
        name = f"Demais ({count_text(len(rest), 'pessoa', 'pessoas')})"
        rows.append((name, [sum(band) for band in zip(*rest, strict=True)], None))
    if nobody is not None:
        rows.append((label(None), nobody, None))
    bands = {key: [values[place] for _, values, _ in rows] for place, key in enumerate(FAIXA_KEYS)}
    return {
        "pessoa": [name for name, *_ in rows],
        **bands,
        "total": [sum(values) for _, values, _ in rows],
        "pessoa_id": [pessoa_id for *_, pessoa_id in rows],
    }


def list_titulos(side: OpenSide, view: View) -> Columns:
    """List the open títulos; payables with what was decided of them, receivables with their charge."""
    open_, labels = view.once(select_open, side.tipo), view.position.rotulos
    sign = 1 if side is RECEIVABLE else -1
    valor, multa, juros = open_["valor_centavos"], sign * open_["multa_centavos"], sign * open_["juros_centavos"]
    categoria = open_["categoria_id"].astype(object).where(open_["categorias_distintas"] <= 1, VARIAS)
    decided = view.facts.mesas.decididos
    own: Columns = (
        {"cobranca": list(_name_charges(view, open_))}
        if side is RECEIVABLE
        else {"decisao": [decided.get(titulo_id) for titulo_id in open_["titulo_id"].tolist()]}
    )
    return {
        "titulo_id": open_["titulo_id"],
        "pessoa": store_labels(open_["pessoa_id"], labels.pessoa),
        "data_vencimento": open_["data_vencimento"],
        "dias_de_atraso": open_["dias_de_atraso"],
        "situacao": open_["situacao"],
        "valor": valor,
        "descricao": [describe_titulo(*values) for values in records_of(open_, "descricao", "qtde_linhas")],
        "aviso": [
            ", ".join(
                filter(None, (REPEATED if titulo in view.position.repetidos else "", MISTYPED if doubtful else ""))
            )
            or None
            for titulo, doubtful in records_of(open_, "titulo_id", "suspeito")
        ],
        "parcela": [format_installment(*pair) for pair in records_of(open_, "numero_repeticao", "total_repeticoes")],
        "faixa": open_["faixa"],
        "data_efetiva": open_["data_efetiva"],
        "multa_est": multa,
        "juros_est": juros,
        "valor_atualizado": valor + multa + juros,
        "documento": store_texts(open_["documento"], ""),
        "categoria": store_labels(categoria, lambda one: VARIAS if one == VARIAS else labels.categoria_caminho(one)),
        "conta": store_labels(open_["conta_id"], labels.conta),
        "forma": store_labels(open_["forma_pagamento_id"], labels.forma),
        "centro": store_labels(open_["centro_custo_lucro_id"], labels.centro),
        "bruto": open_["bruto_centavos"],
        "deducoes": open_["deducoes_centavos"],
        "pagamento_automatico": open_["pagamento_automatico"].astype(bool),
        **own,
        **{key: open_[key] for key in PARENTS},
        **({"cobranca_id": open_["cobranca_id"]} if side is RECEIVABLE else {}),
    }


def _name_charges(view: View, open_: pd.DataFrame) -> Iterator[str]:
    """Name the live charge of each título, or say that there is none; a late título whose charge is paid says so."""
    texts = dict(records_of(view.position.cobrancas, "cobranca_id", "status_descricao"))
    lots = find_repasses(open_, view.position.parametros).tolist()
    charged = records_of(open_, "cobranca_id", "cobranca_paga", "vencido")
    for (cobranca_id, paid, late), of_lot in zip(charged, lots, strict=True):
        if cobranca_id is None:
            yield REPASSE if of_lot else SEM_COBRANCA
            continue
        status = _or_blank(texts.get(cobranca_id)) or f"Cobrança {cobranca_id}"
        yield f"{PAID_CHARGE} ({status})" if paid and late else status


def declare_bands(side: OpenSide, parts: str, *notes: str) -> tuple[Print[View], Print[View]]:
    """Declare the summary by aging band, and the table of the total and the parts of the overdue that stands below."""
    contas = side.name.replace("_", " ")
    bands = Print(
        f"{side.name}_faixas",
        f"{side.report}: contas {contas} por faixa de atraso (S8)",
        partial(list_bands, side),
        keys=("faixa",),
        about=side.about("da faixa"),
        widths={"faixa": 30},
        title="Resumo por faixa de atraso",
        below=f"{side.name}_faixas_total",
        notes=notes,
    )
    comment = f"{side.report}: o total e o vencido, {parts} (S8)"
    keys, about = ("codigo",), side.about("da linha")
    return bands, Print(bands.below, comment, partial(list_parts, side), keys, about)  # type: ignore[arg-type]


def declare_terms(side: OpenSide) -> Print[View]:
    """Declare the summary of what is not late by days to the reference date."""
    return Print(
        f"{side.name}_a_vencer",
        f"{side.report}: contas {side.name.replace('_', ' ')} não vencidas por prazo (S8)",
        partial(list_terms, side),
        keys=("vence_em_dias",),
        about=side.about("do prazo"),
        widths={"vence_em_dias": 30},
        title="A vencer por prazo",
        below=partial(_total_terms, side),
    )


def declare_people(side: OpenSide) -> Print[View]:
    """Declare person x band."""
    return Print(
        f"{side.name}_pessoas",
        f"{side.report}: contas {side.name.replace('_', ' ')} por pessoa e faixa, {TOP_PEOPLE} maiores e demais",
        partial(list_people, side),
        about={"total": "soma da linha; com o sinal do título: a receber positivo, a pagar negativo"},
        dense=True,
        title=f"Por pessoa: {TOP_PEOPLE} maiores e demais",
        total=(*FAIXA_KEYS, "total"),
    )


def declare_titulos(side: OpenSide, comment: str, amount: str, **differs: Any) -> Print[View]:
    """Declare the títulos one by one, each leading to its row in Lançamentos."""
    return Print(
        side.name,
        f"{side.report}: {comment}",
        partial(list_titulos, side),
        keys=("titulo_id",),
        about={"valor": amount, "aviso": "possível duplicidade (Q13), vencimento suspeito (Q43); senão nulo"},
        widths=_WIDTHS | ({"decisao": 30} if side is PAYABLE else {}),
        dense=True,
        shown=("titulo_id",),
        title="Títulos em aberto",
        detail=True,
        lead=lead_by("titulo_id"),
        marks={Mark.LATE_90: mark_above("dias_de_atraso", LATE_DAYS)},
        notes=(ESTIMATE_NOTE,),
        **differs,
    )


def show_titulos(own: Print[View], view: View, tables: Tables) -> Section:
    """Print the títulos, to which others lead by título or by person."""
    return replace(print_section(own, tables, view), anchors=(("titulo_id", "titulo_id"), ("pessoa_id", "pessoa_id")))


def link_charges(view: View) -> Mapping[str, Leads]:
    """Lead from the charges of receivables to their pages."""
    return {"cobranca": Leads(store_texts(view.once(select_open, RECEIVABLE.tipo)["cobranca_link"]))}


def plot_people(people: Print[View], whose: str, after: str) -> Plot:
    """Draw the largest people, one bar each, stacked by aging band; a band that nobody of them has is left out."""
    return Plot(
        f"{whose} por pessoa e faixa de atraso: {CHART_PEOPLE} maiores",
        ChartKind.STACKED_BAR,
        people.name,
        "pessoa",
        {key: (faixa, colour) for key, faixa, colour in zip(FAIXA_KEYS, FAIXAS, FAIXA_COLOURS, strict=True)},
        after=after,
        rows=lambda _, row: row["pessoa_id"] is not None,
        most=CHART_PEOPLE,
        unsigned=True,
    )


def label_titulos(titulos: pd.DataFrame, rotulos: Labels) -> Mapping[int, str]:
    """Tell what every título is called: its person, and its document or description; made when it is asked for."""
    ordered = titulos.sort_values("titulo_id")
    people = ordered["pessoa_id"].fillna(0).to_numpy("int64")
    texts = ordered["documento"].where(ordered["documento"].astype(bool), ordered["descricao"]).to_numpy(object)

    def make(place: int) -> str:
        return f"{rotulos.pessoa(int(people[place]) or None)} · {texts[place] or ''}"

    return ByKey(ordered["titulo_id"].to_numpy(), make)


def describe_titulo(descricao: object, qtde_linhas: int) -> str:
    """Write a título's description: its carrier's, and how many more linhas it has.

    >>> describe_titulo("Folha", 3), describe_titulo("Aluguel", 1)
    ('Folha + 2 itens', 'Aluguel')
    """
    extra = qtde_linhas - 1
    text = _or_blank(descricao)
    return f"{text} + {count_text(extra, 'item', 'itens')}".strip() if extra > 0 else text


def format_installment(parcela: int | None, total: int | None) -> str:
    """Write which repetition an entry is (S10); an endless series has no total.

    >>> format_installment(2, 3), format_installment(5, None), format_installment(None, None)
    ('2/3', '5', '')
    """
    if parcela is None:
        return ""
    return f"{parcela}/{total}" if total else f"{parcela}"


def _or_blank(value: object) -> str:
    return "" if value is None or pd.isna(value) else str(value)  # type: ignore[call-overload]
