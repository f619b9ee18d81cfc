"""How the companies stand in the text form of Prometheus, which most collectors of metrics read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from importlib.metadata import version
from typing import Final

from lastro.grid.verdict import ATENCAO, CONFIAVEL, NAO_CONFIAVEL, SOMAS_CONFEREM
from lastro.operation.scheduler import Scheduler
from lastro.operation.state import CompanyState
from lastro.schema.tables import SCHEMA_VERSION
from lastro.warehouse.publication.published_run import PublishedRun

_OF_COMPANY: Final[Sequence[tuple[str, str, Callable[[CompanyState], float | None]]]] = (
    ("em_dia", "1 quando uma leitura completa foi publicada dentro das horas de [avisos], senão 0",
     lambda state: int(state.is_fresh)),
    ("idade_segundos", "Idade da última leitura completa publicada",
     lambda state: None if state.idade is None else int(state.idade.total_seconds())),
    ("leitura_completa_segundos", "Quando essa leitura começou, em segundos Unix: time() menos isto é a idade de agora",
     lambda state: None if state.completa_em is None else int(state.completa_em.timestamp())),
    ("rodando", "1 quando há uma execução em andamento", lambda state: int(state.andamento is not None)),
    ("bytes", "O que a pasta da empresa ocupa", lambda state: state.bytes),
)  # fmt: skip
"""Name, what it says, and the value of a company; None where it has none."""
_OF_PUBLISHED: Final[Sequence[tuple[str, str, Callable[[PublishedRun], float]]]] = (
    ("execucao", "Número da execução publicada", lambda shown: shown.execucao_id),
    ("segundos", "Quanto a execução publicada levou", lambda shown: shown.segundos),
    ("requisicoes", "Pedidos que ela fez ao serviço", lambda shown: shown.requisicoes),
    ("linhas", "Linhas de que os números dela são feitos (core.linhas)", lambda shown: shown.linhas),
    ("erros", "Verificações e achados de severidade erro nela", lambda shown: shown.trust.erros),
    ("alertas", "Verificações e achados de severidade alerta nela", lambda shown: shown.trust.alertas),
    ("rejeitados", "Registros que não puderam ser lidos", lambda shown: shown.trust.rejeitados),
)
"""The same of what a company has published."""
_VERDICTS: Final = (CONFIAVEL, SOMAS_CONFEREM, ATENCAO, NAO_CONFIAVEL)


def render_metrics(states: Sequence[CompanyState], scheduler: Scheduler | None, now: datetime) -> str:
    """Write how the companies stand; what nobody knows of one is left out.

    Args:
        scheduler: the sign of life of Dagster's scheduler; None where it never ran.
        now: the clock, UTC.
    """
    shown = [(state, state.publicada) for state in states if state.publicada is not None]
    parts = [
        _write("info", "Versões", [({"versao": version("lastro"), "esquema": str(SCHEMA_VERSION)}, 1)]),
        *(_write(name, said, [(_of(state), read(state)) for state in states]) for name, said, read in _OF_COMPANY),
        _write(
            "veredito",
            "1 no veredito do que está publicado",
            [
                ({**_of(state), "veredito": verdict}, int(state.veredito == verdict))
                for state, _ in shown
                for verdict in _VERDICTS
            ],
        ),
        *(_write(name, said, [(_of(state), read(run)) for state, run in shown]) for name, said, read in _OF_PUBLISHED),
        _write(
            "falha",
            "1 por empresa cuja última execução falhou, com o nome do erro; nenhuma depois de uma boa",
            [({**_of(state), "classe": state.falha.classe}, 1) for state in states if state.falha is not None],
        ),
        _write(
            "agendador_vivo",
            "1 quando o agendador do Dagster deu sinal de vida há pouco",
            [({}, None if scheduler is None else int(scheduler.is_alive(now)))],
        ),
    ]
    return "".join(parts)


def _of(state: CompanyState) -> dict[str, str]:
    return {"empresa": state.empresa}


def _write(name: str, said: str, samples: Sequence[tuple[Mapping[str, str], float | None]]) -> str:
    known = [(labels, value) for labels, value in samples if value is not None]
    if not known:
        return ""
    lines = [f"# HELP lastro_{name} {said}", f"# TYPE lastro_{name} gauge"]
    for labels, value in known:
        told = ",".join(f'{label}="{_escape(text)}"' for label, text in labels.items())
        lines.append(f"lastro_{name}{{{told}}} {value}" if told else f"lastro_{name} {value}")
    return "\n".join(lines) + "\n"


def _escape(text: str) -> str:
    """Write a text as the value of a label."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
