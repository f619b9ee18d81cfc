"""What a closing says: its month, its edition, and what its sheets share."""

from __future__ import annotations

from collections.abc import Collection, Mapping
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
from lastro.grid.prints import Columns, Remembering
from lastro.grid.tables import Column
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
class Closing(Remembering):
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
    def comments(self) -> list[str]:
        """The lines of the comment."""
        return [text for text, _ in self.comentario]

    @property
    def label(self) -> str:
        """The month as headers name it."""
        return month_label(self.month.mes)

    @cached_property
    def columns(self) -> Mapping[str, Column]:
        """Columns that are headed by the month: spans, changes, and what is budgeted where anything is (R18)."""
        mes, then = self.month.mes, month_label(self.spans["ano_antes"].first)
        spans = {
            "mes": self.label,
            "antes": month_label(self.spans["antes"].first),
            "ano_antes": then,
            "ano": f"Ano até {MONTHS[mes.month - 1]}/{mes.year % 100:02d}",
            "ano_ano_antes": f"Ano até {then}",
            "doze": "12 meses",
            "saldo_final": f"Saldo em {self.month.fim:%d/%m}",
        }
        amount = Column("", Kind.MONEY, dense=True, undefined=True, key="valor")
        budget = {} if self.budget is None else {"orcado": "Orçado", "desvio": "Desvio"}
        change = Column("Var. %", Kind.PERCENT)
        return {
            **{key: replace(amount, key=key, header=header) for key, header in (spans | budget).items()},
            **{key: replace(change, key=key) for key in ("var_mes", "var_ano")},
        }

    def keep_budget(self, columns: Columns) -> Columns:
        """Leave out what is budgeted where nothing is."""
        return {key: values for key, values in columns.items() if key not in BUDGETED or self.budget is not None}

    def sum_budget(self, groups: Collection[str]) -> int:
        """Add up what is budgeted of some groups of the DRE."""
        return sum(centavos for group, centavos in self.budget or () if group in groups)

    @cached_property
    def budget(self) -> list[tuple[str, int]] | None:
        """What is budgeted for the month: line of the DRE, centavos; None where nothing is (R18)."""
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
                natureza = BY_TIPO.get(tipo) or (RECEITAS if centavos >= 0 else DESPESAS)
                lines.append((group if view.dre_map.classificada else natureza, centavos))
        return lines

    def title(self, sheet: str) -> str:
        """Head a sheet: every one names the month and the edition."""
        return f"Fechamento {self.label} · {self.edicao}ª edição · {sheet}"


FIVE: Final = frozenset({"resultado", "clientes", "pagamentos", "nao_operacional", "caixa"})
BUDGETED: Final = frozenset({"orcado", "desvio"})
BY_TIPO: Final[Mapping[Any, str]] = {TIPO_RECEITA: RECEITAS, TIPO_DESPESA: DESPESAS}
"""Type of a category -> its line of a DRE without a map (S5)."""
