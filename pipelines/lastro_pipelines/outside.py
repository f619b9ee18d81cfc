"""The sensor that shows in the UI what was run outside of Dagster, from a terminal or by a timer of the system."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

import dagster as dg

from lastro.catalogue import REPORT_NAMES, Catalogue
from lastro.errors import LastroError
from lastro.run.names import FECHAMENTO, PARTS, name_closing
from lastro.run.order import RunResult, StageResult
from lastro.schema.run_kinds import Etapa, Modo
from lastro.settings import Empresa, Settings

from .assets.excel import PUBLISHED
from .assets.stages import Part, Told
from .names import Names
from .private import forget_runless_results
from .resources import Host
from .watch import watch

EVERY_SECONDS = 30
OUTSIDE: Final = "execucoes_de_fora"


def build_outside_sensor(host: Host, names: Names, parts: Sequence[Part]) -> dg.SensorDefinition:
    """Build the sensor; what a run of Dagster's own has told of itself is not told again."""

    @watch(
        host,
        names,
        EVERY_SECONDS,
        "Mostra nos ativos, com as verificações, o que lastro run publicou fora do Dagster. Se falhar: lastro estado "
        "diz o mesmo.",
    )
    def execucoes_de_fora(context: dg.SensorEvaluationContext, settings: Settings) -> dg.SensorResult:
        seen: dict[str, int] = json.loads(context.cursor or "{}")
        events, said = list[Any](), list[str]()
        for empresa in settings.empresas:
            try:
                shown = _find_new(settings, empresa, seen.get(empresa.id))
                if shown is not None and not _is_told(context.instance, names, empresa, shown):
                    told = list(_tell(parts, settings, empresa))
                    judged = (each for each in told if isinstance(each, dg.AssetCheckEvaluation))
                    keys = [dg.AssetCheckKey(each.asset_key, each.check_name) for each in judged]
                    forget_runless_results(context.instance, keys, empresa.id)
                    events += told
                    said.append(f"{empresa.id}: execução {shown}")
            except LastroError as error:  # of this company alone; looked at again the next time
                said.append(f"{empresa.id}: {error}")
            else:
                seen |= {} if shown is None else {empresa.id: shown}
        skipped = "; ".join(said) or "nada novo"
        return dg.SensorResult(skip_reason=skipped, cursor=json.dumps(seen, sort_keys=True), asset_events=events)

    return execucoes_de_fora


def _find_new(settings: Settings, empresa: Empresa, seen: int | None) -> int | None:
    """Find the number that a company has published since; None while somebody holds it, who may be telling of it."""
    from lastro.warehouse.file.lock import is_company_free
    from lastro.warehouse.publication.copies import read_published

    pasta = settings.pasta(empresa)
    shown = read_published(pasta)
    return None if shown in (None, seen) or is_company_free(pasta) is False else shown


def _is_told(instance: dg.DagsterInstance, names: Names, empresa: Empresa, execucao_id: int) -> bool:
    """Tell whether the last publication that Dagster knows of a company is that of a run."""
    asked = dg.AssetRecordsFilter(asset_key=names.key(*PUBLISHED), asset_partitions=[empresa.id])
    for record in instance.fetch_materializations(asked, limit=1).records:
        told = record.asset_materialization
        return told is not None and told.metadata.get("execucao") == dg.MetadataValue.int(execucao_id)
    return False


def _tell(parts: Sequence[Part], settings: Settings, empresa: Empresa) -> Told:
    """Tell of the published run what its steps would have told, as far as its copy says it."""
    left = dict(_read(settings, empresa))
    for part in parts:
        if part.etapa in left:
            yield from part.tell(empresa.id, left[part.etapa])


def _read(settings: Settings, empresa: Empresa) -> Iterator[tuple[Etapa, StageResult | RunResult]]:
    """Read from a published copy what each stage left; of a report alone nothing was read."""
    from lastro.run.record import query_record
    from lastro.warehouse.file.store import LINK_NAME
    from lastro.warehouse.publication.published_run import read_told_run

    pasta = settings.pasta(empresa)
    run = read_told_run(pasta)
    if run is None:
        return
    if run.leitura_id == run.execucao_id:
        lists = {"contas": StageResult(0)} if run.tipo == Modo.COMPLETA else {}  # the service need not have that list
        lists |= {
            name: StageResult(rows or 0, {"paginas": pages, "segundos": seconds})
            for lista, (rows, pages, seconds) in run.listas.items()
            if (name := lista.partition(":")[0]) in PARTS
        }
        yield Etapa.LEITURA, StageResult(sum(part.rows for part in lists.values()), parts=lists)
    tables = {name: StageResult(rows) for name, rows in run.tabelas.items()}
    yield Etapa.CORE, StageResult(run.tabelas.get("linhas", 0), {"rejeitados": run.trust.rejeitados}, tables)
    reports = {REPORT_NAMES[code]: StageResult(rows) for code, rows in run.relatorios.items()}
    totals = {"relatorios": len(reports), "erros": run.trust.erros, "alertas": run.trust.alertas}
    yield Etapa.MART, StageResult(sum(run.relatorios.values()), totals, reports, run.verificacoes)
    closings = {
        f"{FECHAMENTO}_{mes}": StageResult(
            values, {"mes": f"{mes:%Y-%m}", "edicao": edition, "arquivo": name_closing(mes, edition)}
        )
        for mes, edition, values in run.fechamentos
    }
    yield Etapa.PLANILHAS, StageResult(len(reports), parts=closings, checks=run.verificacoes)
    rows = query_record(pasta, "SELECT caminho FROM entrega WHERE numero = ? ORDER BY rowid", [run.execucao_id])
    files = [pasta / path for (path,) in rows]
    yield (
        Etapa.PUBLICACAO,
        RunResult(
            run.execucao_id,
            run.leitura_id,
            run.data_base,
            pasta / LINK_NAME,
            tuple(path for path in files if path.suffix == ".xlsx"),
            0,
            run.trust,
            Catalogue((), (), (), ()),
            tipo=run.tipo,
        ),
    )
