"""What the service answers, landed as received and proved complete (S13): one step, so that no part of it misleads."""

from collections.abc import Iterator, Mapping

import dagster as dg

from lastro.api.endpoints import REFERENCIAS
from lastro.run.order import StageResult
from lastro.warehouse.loading.kinds import Etapa

from ..names import CADASTROS, LISTS, Names
from ..resources import RESOURCE
from .stages import build_check_spec, build_metadata, materialize, run_named_stage

CHECK_COMPLETA = "completude"
_DESCRIPTIONS = {
    "contas": "Listas que o documento não mostra, se o serviço as tem.",
    "cobrancas": "Cobranças (boleto, cartão, pix), todas, com prova.",
    "lancamentos": "Lançamentos de todas as contas, com prova de completude por conta.",
    CADASTROS: "Categorias, clientes, fornecedores e classificações, inativos incluídos.",
}
_PROVADA = "S13: leitura provada completa. Vermelho não há: sem prova a execução falha (lastro manual IncompletePass)."
_UNPROVED = ("contas",)
"""Lists of which nothing depends, and whose absence is an answer too."""
_PERSONAL = (CADASTROS, "cobrancas", "lancamentos")
"""Lists with data of persons."""


def build_reading_assets(names: Names) -> dg.AssetsDefinition:
    """Build the stage of the reading: an asset per long list of the service, and one for the short ones together."""

    @dg.multi_asset(
        name=Etapa.LEITURA.value,
        specs=[
            names.spec(
                "raw",
                lista,
                description=_DESCRIPTIONS[lista],
                kinds={"duckdb"},
                tags={"pii": "sim"} if lista in _PERSONAL else {},
                skippable=True,
            )
            for lista in LISTS
        ],
        check_specs=[
            build_check_spec(names, CHECK_COMPLETA, names.key("raw", lista), _PROVADA)
            for lista in LISTS
            if lista not in _UNPROVED
        ],
        # Only so that a hot run may leave out what it does not read; a part of the reading is refused.
        can_subset=True,
        partitions_def=names.empresas,
        required_resource_keys={RESOURCE},
    )
    def leitura(context: dg.AssetExecutionContext) -> Iterator[dg.MaterializeResult | dg.AssetCheckResult]:
        """Read the service; what was not read is not shown as materialised."""
        result = run_named_stage(context, Etapa.LEITURA)
        parts = _join(result.parts) if isinstance(result, StageResult) else {}
        for lista, part in parts.items():
            # An unproved reading raises, so a result is a proof; its certificate is in ops.passadas.
            key = names.key("raw", lista)
            yield materialize(context, key, build_metadata(part))
            if lista not in _UNPROVED:
                yield dg.AssetCheckResult(check_name=CHECK_COMPLETA, asset_key=key, passed=True)

    return leitura


def _join(parts: Mapping[str, StageResult]) -> dict[str, StageResult]:
    """Put the short lists together; none of them was read by a run that left them out."""
    short = {lista: part for lista, part in parts.items() if lista in REFERENCIAS}
    joined = {lista: part for lista, part in parts.items() if lista not in short}
    if short:
        totals = {f"registros_{lista}": part.rows for lista, part in short.items()}
        joined[CADASTROS] = StageResult(sum(part.rows for part in short.values()), totals)
    return joined
