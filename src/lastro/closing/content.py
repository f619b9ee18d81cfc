"""The content of a closing, shared by its sheets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Any, Final

from lastro.analysis.bridge import OPENED, OTHERS, NetLine, answer_bridge, build_bridge
from lastro.analysis.frames import records_of
from lastro.analysis.income_statement import DESPESAS, RECEITAS
from lastro.closing.figures import ClosedMonth, MonthSpan, list_spans
from lastro.grid.cells import Kind
from lastro.grid.sections import Row, Section
from lastro.grid.tables import describe_column
from lastro.grid.verdict import Finding
from lastro.grid.words import MONTHS, month_label
from lastro.money import to_decimal
from lastro.reports.r07_bridge import tell_answer
from lastro.schema.values import TIPO_DESPESA, TIPO_RECEITA


@dataclass(frozen=True)
class Change:
    """What the first edition said of a line, and what this one says; R$."""

    linha: str
    antes: Decimal
    agora: Decimal


@dataclass(frozen=True)
class Closing:
    """Everything that the file says.

    Attributes:
        month: the figures, over the view of F.
        edicao: its number.
        comentario: the lines of the comment, each with whether it is a heading; empty without one.
        passos: the section "Próximos passos" of the month before.
        mudancas: what changed since the first edition.
        lancamentos: the entries behind it: id, text, amount then and now.
        achados: findings of the run that touch the month, with how many of its entries.
    """

    month: ClosedMonth
    edicao: int
    comentario: tuple[tuple[str, bool], ...] = ()
    passos: tuple[str, ...] = ()
    mudancas: tuple[Change, ...] = ()
    lancamentos: tuple[tuple[int, str, Decimal | None, Decimal | None], ...] = ()
    achados: tuple[tuple[Finding, int], ...] = ()

    @cached_property
    def spans(self) -> Mapping[str, MonthSpan]:
        """What the closing of the month shows (`list_spans`)."""
        return list_spans(self.month.mes)

    @cached_property
    def bridge(self) -> Mapping[str, Mapping[date, int]]:
        """Every line of the bridge (R07)."""
        return build_bridge(self.month.view.position)

    @cached_property
    def answers(self) -> list[tuple[NetLine, int]]:
        """The bridge in five lines, each with its centavos of the month; further lines of zero are left out."""
        answers = answer_bridge(self.month.view.position, self.bridge, self.month.mes)
        found = [(answer, answer.months.get(self.month.mes, 0)) for answer in answers]
        return [(answer, value) for answer, value in found if value or answer.linha in FIVE]

    def tell_answers(self) -> list[tuple[str, Decimal, int]]:
        """Say the bridge in five lines: text, R$, and the level below the line that a category is part of."""
        return [
            (tell_answer(self.month.view, answer, value), to_decimal(value), int(answer.linha in (OPENED, OTHERS)))
            for answer, value in self.answers
        ]

    @property
    def label(self) -> str:
        """The month as headers name it."""
        return month_label(self.month.mes)

    @cached_property
    def headers(self) -> Mapping[str, str]:
        """What columns are headed by: spans by their months."""
        mes, then = self.month.mes, month_label(self.spans["ano_antes"].first)
        return {
            "mes": self.label,
            "antes": month_label(self.spans["antes"].first),
            "ano_antes": then,
            "ano": f"Ano até {MONTHS[mes.month - 1]}/{mes.year % 100:02d}",
            "ano_ano_antes": f"Ano até {then}",
            "doze": "12 meses",
            "ate_o_fim_do_mes": "Até o fim do mês",
            "orcado": "Orçado",
            "saldo_final": f"Saldo em {self.month.fim:%d/%m}",
            **dict.fromkeys(("var_mes", "var_ano"), "Var. %"),
        }

    @cached_property
    def budget(self) -> list[tuple[str, str, int]] | None:
        """What is budgeted for the month: line of the DRE, natureza (S5), centavos; None where nothing is (R18)."""
        view, position = self.month.view, self.month.view.position
        if not view.budget.chaves:
            return None
        columns = ("categoria_id", "dre_grupo", "tipo_categoria_id")
        known = {key: (group, tipo) for key, group, tipo in records_of(position.categorias, *columns)}
        lines = []
        for key in view.budget.chaves:
            if not key.fora and key.orcada:
                centavos = int(key.vigente[self.month.mes.month - 1])
                group, tipo = known[key.categoria_id]
                natureza = NATUREZAS.get(tipo) or ("R" if centavos >= 0 else "D")
                lines.append((group if view.dre_map.classificada else BY_NATUREZA[natureza], natureza, centavos))
        return lines

    def title(self, sheet: str) -> str:
        """Head a sheet: every one names the month and the edition."""
        return f"Fechamento {self.label} · {self.edicao}ª edição · {sheet}"

    def lay(
        self, name: str, keys: Sequence[str], rows: Iterable[Row], width: int | None = None, **more: Any
    ) -> Section:
        """Lay a table out: a label, then amounts without R$, changes in percent, and what says how it was checked.

        What is budgeted has its columns where there is a budget; `more` is of the section.
        """
        left_out = {"orcado", "desvio"} if self.budget is None else set()
        places = [place for place, key in enumerate(keys) if key not in left_out]
        columns = []
        for key in keys:
            look: dict[str, Any] = {"header": self.headers[key]} if key in self.headers else {}
            if key in (keys[0], "conferencia"):
                look |= {"kind": Kind.TEXT, "width": LABEL if key == keys[0] else WIDE}
            else:
                is_change = key.startswith("var_")
                look |= {"kind": Kind.PERCENT} if is_change else {"kind": Kind.MONEY, "dense": True, "width": width}
            columns.append(describe_column(key, **look))
        shown = tuple(replace(row, cells=tuple(row.cells[place] for place in places)) for row in rows)
        return Section(name, tuple(columns[place] for place in places), shown, **more)


FIVE: Final = frozenset({"resultado", "clientes", "pagamentos", "nao_operacional", "caixa"})
LABEL, WIDE = 52, 26
"""Widths of what begins a row, and of amounts where there are few: title and stamp need the room."""
NATUREZAS: Final[Mapping[Any, str]] = {TIPO_RECEITA: "R", TIPO_DESPESA: "D"}
BY_NATUREZA: Final = {"R": RECEITAS, "D": DESPESAS}


def build_texts(name: str, title: str, lines: Sequence[str]) -> Section:
    """Make a table of sentences, headed by what they tell; they have the width of the sheet."""
    column = describe_column("texto", width=LABEL, header=title)
    return Section(name, (column,), tuple(Row((text,)) for text in lines))
