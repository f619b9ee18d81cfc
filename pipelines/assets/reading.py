"""What the service answers, landed as received and proved complete (S13): one step, so that no part of it misleads."""

from collections.abc import Iterator

import dagster as dg

from lastro.run.order import StageResult
from lastro.run.parts import LEITURA, PARTS

from ..names import Names
from ..resources import RESOURCE
from .stages import build_check_spec, build_metadata, run_stage

CHECK_COMPLETA = "completude"
_DESCRIPTIONS = {
    "contas": "Listas que o documento não mostra, se o serviço as tem.",
    "cobrancas": "Cobranças (boleto, cartão, pix), todas, com prova.",
    "lancamentos": "Lançamentos de todas as contas, com prova de completude por conta.",
    "anexos": "Dados dos anexos dos lançamentos, cada um lido uma só vez; desligado por padrão (parâmetro anexos).",
    "classificacoes": "Classificações: a lista e as que as pessoas citam.",
}
_PROVADA = "S13: leitura provada completa. Vermelho não há: sem prova a execução falha (lastro manual IncompletePass)."
_UNPROVED = ("anexos", "contas")
"""Lists of which nothing depends, and whose absence is an answer too."""
_PERSONAL = ("clientes", "fornecedores", "cobrancas", "lancamentos")
"""Lists with data of persons."""


def build_leitura(names: Names) -> dg.AssetsDefinition:
    """Build the stage of the reading: an asset per list of the service."""

    @dg.multi_asset(
        name=LEITURA,
        specs=[
            names.spec(
                "raw",
                lista,
                description=_DESCRIPTIONS.get(lista, f"Lista de {lista}, inativos incluídos."),
                kinds={"duckdb"},
                tags={"pii": "sim"} if lista in _PERSONAL else {},
                skippable=True,
            )
            for lista in PARTS
        ],
        check_specs=[
            build_check_spec(names, CHECK_COMPLETA, names.key("raw", lista), _PROVADA)
            for lista in PARTS
            if lista not in _UNPROVED
        ],
        # Only so that a hot run may leave out what it does not read; a part of the reading is refused.
        can_subset=True,
        partitions_def=names.empresas,
        required_resource_keys={RESOURCE},
    )
    def leitura(context: dg.AssetExecutionContext) -> Iterator[dg.MaterializeResult | dg.AssetCheckResult]:
        """Read the service; what was not read is not shown as materialised."""
        result = run_stage(context, LEITURA)
        parts = result.parts if isinstance(result, StageResult) else {}
        for lista, part in parts.items():
            # An unproved reading raises, so a result is a proof; its certificate is in ops.passadas.
            key = names.key("raw", lista)
            yield dg.MaterializeResult(key, metadata=build_metadata(part))
            if lista not in _UNPROVED:
                yield dg.AssetCheckResult(check_name=CHECK_COMPLETA, asset_key=key, passed=True)

    return leitura
