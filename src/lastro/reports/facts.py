"""What a run knows beyond its position, as reports are told it: earlier reports, desks, banks, files.

Belongs here: facts that somebody else read or computed. Does not belong here: what is derived of them
(`lastro.reports.view`), where an earlier report can be compared (`lastro.reports.shared.earlier`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from lastro.analysis.arrears import OUT
from lastro.analysis.forecast_record import Measured
from lastro.entrada.door import RefusedPart
from lastro.grid.cells import Value
from lastro.transform.scenarios import Decided, Promised

if TYPE_CHECKING:
    from lastro.analysis.changes import Comparison
    from lastro.analysis.forecast_accuracy import Forecast
    from lastro.transform.position import Position


@dataclass(frozen=True)
class EarlierReport:
    """What people last read of an earlier D.

    Attributes:
        data_base: its D.
        kpis: slug -> value as told.
        so_variacao: KPIs that were a variation, no balance, for want of an opening (S23).
        mudados: settings that decide figures and are others now.
        mesmas_aberturas: whether its openings rest on what those of now rest on.
    """

    data_base: date
    kpis: Mapping[str, Decimal]
    so_variacao: frozenset[str] = field(default_factory=frozenset)
    mudados: tuple[str, ...] = ()
    mesmas_aberturas: bool = True


class Changed(NamedTuple):
    """What a payable is otherwise than somebody approved it (Q42).

    Attributes:
        motivo: all of it, in words.
        antes: what was approved, signed centavos.
        outros: the same without the amount.
    """

    motivo: str
    antes: int
    outros: str


@dataclass(frozen=True)
class DeskFacts:
    """What people wrote at the desks, as far as reports and the bank's side ask for it.

    Attributes:
        anotacoes: what was noted last of a título ("titulo", id) or a customer ("pessoa", id; 0: nobody).
        promessas: what the collections desk was promised, is still to come, and was known on D.
        decisoes: open payables that were decided and have not left, as of D.
        decisoes_vencidas: payables whose day decided is over, still open.
        decididos: titulo_id -> what the payments desk decided of it and how that stands: "pagar em 17/03 · em aberto".
        mudados: titulo_id -> what it is otherwise than somebody approved it (Q42).
        quebradas: promises whose day is over and that were not kept: who promised, and what is missing of it, centavos.
        respostas: open payable -> what the payments desk answered of it: *pago*, *em parcelamento* or *devo* (S26.4).
        pagadoras: payable -> the account that the payments desk chose to pay it, where it is not its own.
    """

    anotacoes: Mapping[tuple[str, int], str] = field(default_factory=dict)
    promessas: Sequence[Promised] = ()
    decisoes: Sequence[Decided] = ()
    decisoes_vencidas: Sequence[int] = ()
    quebradas: Sequence[tuple[int, int]] = ()
    decididos: Mapping[int, str] = field(default_factory=dict)
    mudados: Mapping[int, Changed] = field(default_factory=dict)
    respostas: Mapping[int, str] = field(default_factory=dict)
    pagadoras: Mapping[int, int] = field(default_factory=dict)

    @property
    def respondidos(self) -> frozenset[int]:
        """The payables that are owed no more as they stand: answered *pago* or *em parcelamento* (S26.4)."""
        return frozenset(titulo_id for titulo_id, answer in self.respostas.items() if answer in OUT)


@dataclass(frozen=True)
class Unpassed:
    """What the bank announced to pass on of paid charges by a day that a statement covers, without a line for it.

    Attributes:
        conta_id: the account.
        dia: the day announced.
        ate: the last day that its statements cover.
        liquido: what should have come, signed centavos.
        cobrancas: the charges, by id.
    """

    conta_id: int
    dia: date
    ate: date
    liquido: int
    cobrancas: tuple[int, ...]


@dataclass(frozen=True)
class BankFacts:
    """What statements of banks say of títulos (S20).

    Attributes:
        movidos: open títulos that the bank moved, though nobody settled them: "o banco pagou em 13/03".
        nao_pagos: open títulos of which the bank proves that they were not paid: none of them was forgotten.
        provas: titulo_id -> what a statement says of a payment that looks forgotten (Q33).
        repasses: what the bank announced to pass on and did not (F8).
        devolvidos: open títulos like which money came and went back: "devolvido em 06/11".
        renumeradas: extrato_id that a line of a bank had -> the one that it has.
        retiradas: extrato_id of lines that a newer file no longer has.
    """

    movidos: Mapping[int, str] = field(default_factory=dict)
    nao_pagos: frozenset[int] = frozenset()
    provas: Mapping[int, str] = field(default_factory=dict)
    repasses: tuple[Unpassed, ...] = ()
    devolvidos: Mapping[int, str] = field(default_factory=dict)
    renumeradas: Mapping[int, int] = field(default_factory=dict)
    retiradas: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Facts:
    """What a run knows beyond the position.

    Attributes:
        anteriores: what people last read of up to 11 earlier days, oldest first; a scope knows nothing that they said.
        certificado: one row per listing that the extraction proved complete (S13), columns as
            `reports.parametros.CERTIFICATE`.
        extras: rows for the head of Parâmetros: name, value, meaning.
        rejeitados: records that could not be read: lista, origem, página, posição, motivo.
        esquema: new and missing fields: lista, campo, situação, registros.
        fontes: where the figures come from: list and what was read.
        nao_lidos: what of people's files was not read (Q22, Q31, Q37).
        recados: what the run must say besides, pt-BR, a sentence each; the cover has it among the alerts (S25).
        mesas: what people wrote at the desks.
        banco: what statements of banks say; of a scope which títulos they prove unpaid.
        linhas_da_capa: what the cover and the terminal say besides the figures: heading, line, sheet that it leads to.
        comparacao: the previous complete run held against this one (R14); None on the first run.
        reabertos: what earlier reports said of closed months that they found changed, while fewer than three days'
            complete runs have shown it: D, sentence.
        previsoes: which stored run forecast which period (R13).
        medidas: earlier forecasts of cash and what came of them (S24), one per week and horizon; None where nothing is
            expected beyond what is booked (a scope).
        repetidos: list and id of what came more than once, with different content (Q35).
        nao_entendidos: of each text at the desk that was not understood, what its row is of and its key (Q39).
        linhas_recusadas: how many lines of people's files were not understood, also those that `nao_lidos` adds up.
        posicoes: execucao_id -> position of that run as of its own day, for every run that `previsoes` names. Its
            linhas may be only those expected in some period or that D has as paid in one, with their títulos whole.
    """

    anteriores: Sequence[EarlierReport] = ()
    certificado: Sequence[tuple[Value, ...]] = ()
    extras: Sequence[tuple[str, str, str]] = ()
    rejeitados: Sequence[tuple[Value, ...]] = ()
    esquema: Sequence[tuple[Value, ...]] = ()
    fontes: Sequence[tuple[str, str]] = ()
    nao_lidos: Sequence[RefusedPart] = ()
    recados: Sequence[str] = ()
    mesas: DeskFacts = DeskFacts()
    banco: BankFacts = BankFacts()
    linhas_da_capa: Sequence[tuple[str, str, str]] = ()
    comparacao: Comparison | None = None
    reabertos: Sequence[tuple[date, str]] = ()
    previsoes: Sequence[Forecast] = ()
    medidas: Sequence[Measured] | None = None
    repetidos: Sequence[tuple[str, int]] = ()
    nao_entendidos: Sequence[tuple[str, int]] = ()
    linhas_recusadas: int = 0
    posicoes: Mapping[int, Position] = field(default_factory=dict)

    @property
    def anterior(self) -> EarlierReport | None:
        """The last of the earlier reports; None on the first one."""
        return self.anteriores[-1] if self.anteriores else None
