"""Kinds, states and stages of a run, as the file and people name them; importing them loads nothing else."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Modo(StrEnum):
    """The kinds of run (`tipo_execucao`), of which a person asks for one."""

    COMPLETA = "completa"
    QUENTE = "quente"
    RECALCULO = "recálculo"

    @property
    def asked(self) -> str:
        """How a person asks for it, at the terminal and in the launchpad.

        >>> [modo.asked for modo in Modo]
        ['completa', 'quente', 'recalculo']
        """
        return self.name.lower()

    @classmethod
    def parse(cls, asked: str) -> Modo:
        """Read what a person asked for.

        >>> Modo.parse("recalculo").value
        'recálculo'
        """
        return cls[asked.upper()]


class Situacao(StrEnum):
    """The states of a run (`ops.execucoes.situacao`)."""

    EM_ANDAMENTO = "em andamento"
    LIDA = "lida"
    """A proven reading that no report has been begun of."""
    COMPLETA = "completa"
    """Published, whatever its kind; the others not yet, or nothing."""
    RETROATIVA = "retroativa"
    """Ended well, of a past day, and kept in `retro/`: no history, comparison or figure counts it."""
    PARCIAL = "parcial"
    FALHOU = "falhou"


class Etapa(StrEnum):
    """The stages of a run, in order (`ops.etapas`); Dagster's steps have the same names."""

    LEITURA = "leitura"
    """Reads the service; a run without it computes a published reading again."""
    CORE = "core"
    MART = "mart"
    PLANILHAS = "planilhas"
    """Writes the workbooks, and the closing of a month."""
    PUBLICACAO = "publicacao"


ENDED_WELL: Final = [Situacao.COMPLETA, Situacao.RETROATIVA]
"""States of a run that wrote what somebody has."""
_OF_COMPLETE_KIND = f"coalesce(tipo_execucao, '{Modo.COMPLETA}') = '{Modo.COMPLETA}'"
IS_COMPLETE: Final = f"situacao = '{Situacao.COMPLETA}' AND {_OF_COMPLETE_KIND}"
"""SQL over `ops.execucoes`: a complete run that is published; one without a kind is complete."""
READ_WHOLE: Final = f"situacao IN ('{Situacao.COMPLETA}', '{Situacao.RETROATIVA}') AND {_OF_COMPLETE_KIND}"
"""SQL over `ops.execucoes`: the same, or a run into the past, whose reading is whole but is no day's (S13)."""
