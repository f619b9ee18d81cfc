"""One asset check per V rule (S15), on what it judges: a report, or a closing; one for all Q rules, with a table."""

import re
from collections.abc import Mapping, Sequence

import dagster as dg

from lastro.catalogue import EVERY_REPORT
from lastro.grid.verdict import ERRO, NAO_SE_APLICA, Verification
from lastro.quality.queries import ROOMS, Query, read_queries

from .assets.stages import build_check_spec
from .names import Names, write_plainly

LONGEST_NAME = 56
_FAMILIES = {spec.code: spec.family for spec in EVERY_REPORT}
CLOSING = "S25"
"""What a check says that it stands on where it judges the closing of a month."""
_ALL = read_queries(*ROOMS)
_RULES = {name: rule for name, rule in _ALL.items() if rule.report != CLOSING}
_OF_CLOSING = {name: rule for name, rule in _ALL.items() if rule.report == CLOSING}
_COLUMNS = dict.fromkeys(("regra", "gravidade", "o_que", "registros", "valor", "ids"), "string") | {"registros": "int"}
FINDINGS = "achados"
"""The check that shows what every Q rule found."""
_FOUND = "R15: o que as regras Q acharam nos dados. Vermelho ou amarelo: lastro manual e o número da regra, da tabela."


def check_key(names: Names, report: str) -> dg.AssetKey:
    """Return the asset of a report's family, on which the checks of its rules stand."""
    return names.family(_FAMILIES[report])


def name_check(rule: Query) -> str:
    """Name the check of a rule by its number and what holds, as far as that is short: Dagster knows it by its name.

    Its history stands under that name: other words in the registry begin another one.
    """
    said = re.split(r"[:;(]", rule.titulo)[0]
    words = next((text for each in (said, said.split("=")[0]) if len(text := write_plainly(each)) <= LONGEST_NAME), "")
    if not words:
        words = write_plainly(said)[:LONGEST_NAME].rpartition("_")[0]
        words = re.sub("(_(a|o|e|de|do|da|em|com|que))+$", "", words)
    return f"{rule.id}_{words}"


def build_check_specs(names: Names) -> list[dg.AssetCheckSpec]:
    """Build the checks of all V rules and that of the Q rules."""
    rules = [_build_spec(names, rule, check_key(names, rule.report)) for rule in _RULES.values()]
    findings = build_check_spec(names, FINDINGS, check_key(names, "R15"), _FOUND)
    return [*rules, findings]


def build_closing_specs(names: Names, asset: dg.AssetKey) -> list[dg.AssetCheckSpec]:
    """Build the checks of a closing, on the asset of the workbooks."""
    return [_build_spec(names, rule, asset) for rule in _OF_CLOSING.values()]


def build_closing_results(
    partition: str, asset: dg.AssetKey, outcomes: Sequence[Verification]
) -> list[dg.AssetCheckEvaluation]:
    """Turn what judged a closing into Dagster's form; where no month was closed, it does not apply."""
    return _turn(partition, dict.fromkeys(_OF_CLOSING, asset), outcomes)


def _build_spec(names: Names, rule: Query, asset: dg.AssetKey) -> dg.AssetCheckSpec:
    return build_check_spec(names, name_check(rule), asset, _describe(rule), _show_query(rule))


def _describe(rule: Query) -> str:
    """Say what holds, and what to do on red."""
    return f"{rule.titulo}. Vermelho ({rule.severidade}): lastro manual {rule.id}"


def _show_query(rule: Query) -> dict[str, dg.MetadataValue]:
    """Show the SQL of a check, once for all runs."""
    return {"consulta": dg.MarkdownMetadataValue(f"```sql\n{rule.texto}```")}


def build_check_results(
    names: Names, partition: str, outcomes: Sequence[Verification]
) -> list[dg.AssetCheckEvaluation]:
    """Turn the outcomes of a run into Dagster's form.

    Args:
        names: of the code location.
        partition: the company.
        outcomes: of every V rule that judged, then of the Q rules and the memo, which is no check. The rules of an
            option that took no part do not apply.
    """
    rules = _turn(partition, {name: check_key(names, rule.report) for name, rule in _RULES.items()}, outcomes)
    return [*rules, _build_findings(names, partition, [check for check in outcomes if check.id not in _ALL])]


def _turn(
    partition: str, assets: Mapping[str, dg.AssetKey], outcomes: Sequence[Verification]
) -> list[dg.AssetCheckEvaluation]:
    """Turn the outcomes of rules, each with the asset that it stands on; one that did not judge does not apply."""
    judged = {check.id: check for check in outcomes}
    rules = ((_ALL[name], asset) for name, asset in assets.items())
    return [
        _build_result(
            partition,
            judged.get(rule.id) or Verification(rule.id, rule.titulo, rule.severidade, NAO_SE_APLICA),
            asset,
        )
        for rule, asset in rules
    ]


def _build_result(partition: str, check: Verification, asset: dg.AssetKey) -> dg.AssetCheckEvaluation:
    """Turn the outcome of a V rule into Dagster's form, on its asset."""
    # Dagster keeps every result twice and two fit a page of its file: what says nothing is left out.
    figures = {"esperado": check.esperado, "encontrado": check.encontrado, "diferenca": check.diferenca or None}
    return dg.AssetCheckEvaluation(
        partition=partition,
        check_name=name_check(_ALL[check.id]),
        asset_key=asset,
        passed=not check.failed,
        severity=_severity([check]),
        description=f"{check.situacao}: {check.detalhe}" if check.detalhe else check.situacao,
        metadata={
            **{name: str(figure) for name, figure in figures.items() if figure is not None},
            **({"chaves": ", ".join(check.chaves)} if check.chaves else {}),
        },
    )


def _build_findings(names: Names, partition: str, findings: Sequence[Verification]) -> dg.AssetCheckEvaluation:
    failed = [check for check in findings if check.failed]
    return dg.AssetCheckEvaluation(
        partition=partition,
        check_name=FINDINGS,
        asset_key=check_key(names, "R15"),
        passed=not failed,
        severity=_severity(failed),
        metadata={
            "regras_com_achados": len(failed),
            "registros": sum(check.registros for check in failed),
            "achados": dg.MetadataValue.table(
                [
                    dg.TableRecord(
                        {
                            "regra": check.id,
                            "gravidade": check.severidade,
                            "o_que": check.descricao,
                            "registros": check.registros,
                            "valor": check.resumo,
                            "ids": ", ".join(check.chaves),
                        }
                    )
                    for check in findings
                ],
                dg.TableSchema([dg.TableColumn(name, kind) for name, kind in _COLUMNS.items()]),
            ),
        },
    )


def _severity(failed: Sequence[Verification]) -> dg.AssetCheckSeverity:
    """Severity erro is ERROR, everything else is WARN."""
    grave = any(check.severidade == ERRO for check in failed)
    return dg.AssetCheckSeverity.ERROR if grave else dg.AssetCheckSeverity.WARN
