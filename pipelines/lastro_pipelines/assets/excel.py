"""What people open: the workbooks, the page, the closing of a month and the published warehouse."""

from typing import Any

import dagster as dg

from lastro.grid.workbook import Family
from lastro.run.order import RunResult, StageResult
from lastro.schema.run_kinds import Etapa

from ..checks import build_closing_results, build_closing_specs
from ..freshness import build_freshness_spec, judge
from ..names import Names
from ..resources import Host
from .stages import Part, Told, build_metadata

WORKBOOK, CLOSING, PUBLISHED = ("excel", "gerencial"), ("excel", "fechamento"), ("excel", "publicacao")


def build_workbook_part(names: Names) -> Part:
    """Build the part of the workbooks. A closing is no asset of it, for most runs write none: it is an event."""
    spec = names.spec(
        *WORKBOOK,
        deps=[names.family(family) for family in Family],
        description="As planilhas (gerencial, dados, cobranca, pagamentos) e a página, à parte até a publicação. A "
        "execução que fecha um mês escreve também fechamento_AAAA-MM.xlsx (lastro manual S25), que se vê como "
        f"materialização de {'/'.join(CLOSING)}.",
        kinds={"excel"},
    )

    def tell(partition: str, result: StageResult) -> Told:
        for part in result.parts.values():
            yield dg.AssetMaterialization(names.key(*CLOSING), None, build_metadata(part), partition)
        yield dg.AssetMaterialization(spec.key, None, build_metadata(result), partition)
        yield from build_closing_results(partition, spec.key, result.checks)

    return Part(Etapa.PLANILHAS, [spec], build_closing_specs(names, spec.key), tell)


def build_publication_part(host: Host, names: Names) -> Part:
    """Build the part of the publication, with the check that it is fresh."""
    spec = names.spec(
        *PUBLISHED,
        deps=[names.key(*WORKBOOK)],
        description="O armazém e a planilha publicados de uma vez; antes disto nada do que se abre mudou.",
        kinds={"duckdb", "excel"},
    )

    def tell(partition: str, result: RunResult) -> Told:
        from lastro.operation.state import read_state

        metadata: dict[str, Any] = {
            "execucao": result.execucao_id,
            "leitura": result.leitura_id,
            "tipo": result.tipo,
            "data_base": result.data_base.isoformat(),
            "veredito": result.veredito,
            **({"falta": str(result.trust.falta)} if result.trust.falta else {}),
            **({"publicada": "não: é de um dia anterior ao publicado e está em retro/"} if result.retroativa else {}),
            "armazem": dg.MetadataValue.path(str(result.warehouse)),
            "planilhas": ", ".join(path.name for path in result.workbooks),
            **({"planilha": dg.MetadataValue.path(str(result.workbooks[0]))} if result.workbooks else {}),
        }
        yield dg.AssetMaterialization(spec.key, None, metadata, partition)
        settings, now = host.load(), host.clock()
        yield judge(spec.key, settings, read_state(settings, settings.empresa(partition), now), now)

    return Part(Etapa.PUBLICACAO, [spec], [build_freshness_spec(names, spec.key)], tell)
