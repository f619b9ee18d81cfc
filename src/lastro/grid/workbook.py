"""One file: its sheets, who, as of when, and how far it can be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Final

from lastro.grid.cells import Value
from lastro.grid.model import Sheet
from lastro.grid.words import count_text

NO_FILTER: Final = "nenhum"
"""`filtro` of a workbook of the whole company."""
NAO_CONFIAVEL, CONFIAVEL = "NÃO CONFIÁVEL", "CONFIÁVEL"


def say_trust(erros: int, rejeitados: int) -> str:
    """Say how far figures can be trusted, by the failed checks of severity erro and the records not read."""
    return NAO_CONFIAVEL if erros else "ATENÇÃO" if rejeitados else CONFIAVEL


@dataclass(frozen=True)
class Stamp:
    """Who, as of when, from which run, and how far it can be trusted: rows 1 and 2 of every sheet.

    Attributes:
        empresa: company name.
        data_base: as-of date D.
        extraido_em: start of the extraction, naive local time of `fuso`.
        fuso: label of the zone ("BRT" or the zone's name).
        execucao_id: number of the run.
        contas_lidas: accounts whose listing was proved.
        contas_total: accounts configured or seen.
        extracao: "COMPLETA", "QUENTE" or "RECÁLCULO".
        reconstituido: D lies before the extraction and no stored run gives that day back.
        erros: failed checks of severity erro (S15).
        alertas: failed checks of severity alerta.
        rejeitados: records that could not be read; above 0 the stamp says "Atenção" with their number.
        filtro: scope filter in words.
        extraido_utc: the same moment in UTC, for what other programs read of the file; None where nobody knows it.
        nota: what stands in the place of the kind of extraction: a recálculo says which reading it computes again.
    """

    empresa: str
    data_base: date
    extraido_em: datetime
    fuso: str
    execucao_id: int
    contas_lidas: int
    contas_total: int
    extracao: str = "COMPLETA"
    reconstituido: bool = False
    erros: int = 0
    alertas: int = 0
    rejeitados: int = 0
    filtro: str = NO_FILTER
    nota: str = ""
    extraido_utc: datetime | None = None

    @property
    def veredito(self) -> str:
        """How far the figures can be trusted, in a word or two."""
        return say_trust(self.erros, self.rejeitados)

    @property
    def confianca(self) -> str:
        """The trust flag of the cover.

        >>> Stamp("Acme", date(2026, 3, 16), datetime(2026, 3, 16, 6, 5), "BRT", 2, 2, 2, alertas=1).confianca
        'CONFIÁVEL · 0 erros · 1 alerta'
        """
        parts = [self.veredito, count_text(self.erros, "erro", "erros"), count_text(self.alertas, "alerta", "alertas")]
        if self.rejeitados:
            parts.append(count_text(self.rejeitados, "registro ilegível", "registros ilegíveis"))
        return " · ".join(parts)


@dataclass(frozen=True)
class Workbook:
    """One file: its stamp, its sheets in order, and the defined names.

    Attributes:
        kind: what the file is, as in its name (`lastro.run.names`): "gerencial" and that of a scope, "dados", "grupo",
            "cobranca", "pagamentos", "fechamento".
        stamp: rows 1 and 2.
        sheets: in order.
        names: defined names (`data_base`, `execucao_id`, `kpi_<slug>`) and the values they stand for.
        saldo_minimo: below it a balance turns amber.
        personal: contacts and documents of persons are inside: the footers of sheets that are no reports say so.
        notice: what the reader of a DESK must know first.
    """

    kind: str
    stamp: Stamp
    sheets: tuple[Sheet, ...]
    names: Mapping[str, Value] = field(default_factory=dict)
    saldo_minimo: Decimal = Decimal("0.00")
    personal: bool = False
    notice: str = ""
