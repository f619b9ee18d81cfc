"""What the service answers, landed as received and proved complete (S13): one step, so that no part of it misleads."""

from collections.abc import Mapping

import dagster as dg

from lastro.api.endpoints import REFERENCIAS
from lastro.run.order import StageResult
from lastro.schema.run_kinds import Etapa

from ..names import CADASTROS, LISTS, Names
from .stages import Part, Told, build_check_spec, build_metadata

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
_OF_SHORT = ("paginas", "segundos")
"""What is told of each of the short lists, beside its records: which of them is slow."""


def build_reading_part(names: Names) -> Part:
    """Build the part of the reading: an asset per long list of the service, and one for the short ones together."""
    specs = [
        names.spec(
            "raw",
            lista,
            description=_DESCRIPTIONS[lista],
            kinds={"duckdb"},
            tags={"pii": "sim"} if lista in _PERSONAL else {},
            skippable=True,
        )
        for lista in LISTS
    ]
    checks = [
        build_check_spec(names, CHECK_COMPLETA, spec.key, _PROVADA)
        for lista, spec in zip(LISTS, specs, strict=True)
        if lista not in _UNPROVED
    ]

    def tell(partition: str, result: StageResult) -> Told:
        for lista, part in _join(result.parts).items():
            # An unproved reading raises, so a result is a proof; its certificate is in ops.passadas.
            key = names.key("raw", lista)
            yield dg.AssetMaterialization(key, None, build_metadata(part), partition)
            if lista not in _UNPROVED:
                yield dg.AssetCheckEvaluation(
                    partition=partition, check_name=CHECK_COMPLETA, asset_key=key, passed=True
                )

    return Part(Etapa.LEITURA, specs, checks, tell)


def _join(parts: Mapping[str, StageResult]) -> dict[str, StageResult]:
    """Put the short lists together; none of them was read by a run that left them out."""
    short = {lista: part for lista, part in parts.items() if lista in REFERENCIAS}
    joined = {lista: part for lista, part in parts.items() if lista not in short}
    if short:
        totals = {f"{fact}_{lista}": part.totals[fact] for lista, part in short.items() for fact in _OF_SHORT}
        rows = {f"registros_{lista}": part.rows for lista, part in short.items()}
        joined[CADASTROS] = StageResult(sum(rows.values()), rows | totals)
    return joined
