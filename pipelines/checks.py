"""One asset check per V rule (S15), on the report that it holds together."""

import dagster as dg

from lastro.grid.verdict import ERRO, Verification
from lastro.quality.registry import RULES
from pipelines.assets.stages import build_check_spec

CHECKED_ASSET = {
    "V01": "r01",
    "V02": "r02",
    "V03": "r02",
    "V04": "r04",
    "V05": "r07",
    "V06": "r09",
    "V07": "r04",
    "V08": "r06",
    "V09": "r09",
    "V11": "r11",
    "V12": "r11",
    "V13": "r11",
    "V17": "r14",
    "V18": "r13",
    "V19": "r01",
    "V32": "r14",
}
"""Rule -> report; the rules about the data as a whole stand on R15."""
DEFAULT_ASSET = "r15"
FINDINGS = [f"Q{number:02d}" for number in range(1, 21)]


def check_key(rule: str, reports: list[str]) -> dg.AssetKey:
    """Return the asset that a rule's check stands on."""
    name = CHECKED_ASSET.get(rule, DEFAULT_ASSET)
    return dg.AssetKey(["mart", name if name in reports else DEFAULT_ASSET])


def build_check_specs(reports: list[str]) -> list[dg.AssetCheckSpec]:
    """Build the checks of all V rules, then those of the Q rules on R15."""
    rules = [(rule.id, rule.descricao) for rule in RULES.values()] + [
        (rule, "Regra de qualidade (R15)") for rule in FINDINGS
    ]
    return [build_check_spec(rule, check_key(rule, reports), text) for rule, text in rules]


def build_check_result(check: Verification, reports: list[str]) -> dg.AssetCheckResult:
    """Turn a verification into Dagster's form: severity erro is ERROR, alerta is WARN; the keys come along."""
    severity = dg.AssetCheckSeverity.ERROR if check.severidade == ERRO else dg.AssetCheckSeverity.WARN
    return dg.AssetCheckResult(
        check_name=check.id,
        asset_key=check_key(check.id, reports),
        passed=check.situacao != "falhou",
        severity=severity,
        metadata={
            "situacao": check.situacao,
            "esperado": str(check.esperado),
            "encontrado": str(check.encontrado),
            "diferenca": str(check.diferenca),
            "chaves": ", ".join(check.chaves),
            "detalhe": check.detalhe,
        },
    )
