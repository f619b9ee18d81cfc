"""What `lastro run` and `lastro demo` print of what became of a run.

Does not belong here: what JSON says of it (`lastro.operation.outcome`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Final

from lastro.grid.cover import ALERTS
from lastro.grid.printed_page import VARIATION, write_lines
from lastro.grid.verdict import Finding
from lastro.grid.words import count_text, format_date
from lastro.operation.outcome import is_told
from lastro.reports.shared.alerts import list_alerts
from lastro.run.order import RunResult
from lastro.schema.run_kinds import Modo
from lastro.terminal import output, print_table

WITHOUT_OPENING: Final = "Q11"
"""The finding that counts the accounts whose balance nobody gave."""
WITHOUT_GROUP: Final = "Q20"
"""The finding that counts the categories without a line in the map of the DRE."""


def write_line(described: Mapping[str, Any]) -> str:
    """Say in one line what became of a company."""
    seconds = str(described["segundos"]).replace(".", ",")
    verdict = described.get("veredito") or described["erro"]
    requests = "" if described["requisicoes"] is None else f" · {described['requisicoes']} pedidos"
    return f"{described['empresa']}: {verdict} · {seconds} s{requests}"


def print_outcomes(described: Sequence[Mapping[str, Any]]) -> None:
    """Print one line a company: verdict, as-of date, seconds, requests, what to do."""
    rows = [("Empresa", "Veredito", "Data-base", "Segundos", "Pedidos", "O que fazer")]
    rows += [
        (
            each["empresa"],
            each.get("veredito") or each["erro"],
            format_date(date.fromisoformat(each["data_base"])) if "data_base" in each else "–",
            str(each["segundos"]).replace(".", ","),
            "–" if each["requisicoes"] is None else str(each["requisicoes"]),
            each["o_que_fazer"] or "–",
        )
        for each in described
    ]
    output.print()
    print_table(rows, right=(3, 4))


def print_result(nome: str, result: RunResult) -> None:
    """Print the page part by part, the verdict of the checks in the place of its alerts, and where the files are."""
    kind = "" if result.tipo == Modo.COMPLETA else f" · {result.tipo}"
    kind += "" if result.leitura_id == result.execucao_id else f" da leitura {result.leitura_id}"
    output.print(f"\n{nome} · data-base {format_date(result.data_base)} · execução {result.execucao_id}{kind}\n")
    unknown = sum(finding.qtde for finding in result.catalogue.findings if finding.regra == WITHOUT_OPENING)
    lack = f"falta o extrato de {count_text(unknown, 'conta', 'contas')} (lastro saldos)"
    note = f"{VARIATION}: {lack if unknown else 'há lançamentos sem conta'}"
    cover = result.catalogue.cover
    for name, lines in [(ALERTS, ())] if cover is None else write_lines(cover, note):
        if name == ALERTS:
            _print_checks(result)
        else:
            output.print("\n".join(f"  {line}" for line in lines))
        output.print()
    if result.retroativa:
        output.print("  Data-base anterior à publicada: está em retro/, e o publicado não mudou.")
    print_files(result)


def _print_checks(result: RunResult) -> None:
    """Print all that the stamp counts, each with the number that `lastro manual` knows, and what does not count."""
    catalogue = result.catalogue
    passed = sum(check.situacao == "ok" for check in result.verifications)
    output.print(
        f"  Verificações: {result.trust.scope} · {passed} ok · "
        f"{count_text(len(result.failed), 'erro', 'erros')} · "
        f"{' · '.join([count_text(result.trust.alertas, 'alerta', 'alertas'), *catalogue.nao_contam])}"
    )
    findings = {finding.regra: finding for finding in catalogue.findings}
    by_hand = {rule: finding for rule, finding in findings.items() if is_told(finding)}
    alerts = list_alerts(result.verifications, catalogue.findings, catalogue.rotulos)
    for rule, text, count in alerts:
        if rule not in by_hand:
            said = text if count is None else f"{text}: {count}"
            cure = f": {findings[rule].como_corrigir}" if rule == WITHOUT_GROUP else ""
            output.print(f"    {said} ({rule}){cure}")
    for said in catalogue.recados:
        output.print(f"    Aviso: {said}")
    for finding in by_hand.values():
        _print_told(finding)
    if alerts:
        output.print(f"    O que cada número quer dizer: lastro manual {alerts[0].regra}")


def _print_told(finding: Finding) -> None:
    """Print which files and texts of people do not count, line by line, each under what to do about it."""
    named = f"    {finding.titulo}: {finding.qtde} ({finding.regra})"
    if not finding.textos:
        output.print(f"{named}: {finding.por_que}")
        return
    cure = finding.como_corrigir.removesuffix(f": {' · '.join(finding.textos)}")
    output.print(f"{named}: {cure}")
    for text in finding.textos:
        output.print(f"      {text}")


def print_files(result: RunResult) -> None:
    """Print where the files are: the folder once, each file as it is called in it."""
    kinds = [("Armazém", [result.warehouse]), ("Planilha", result.workbooks), ("Página", result.paginas)]
    folder = Path(os.path.commonpath([path.parent for _, paths in kinds for path in paths]))
    output.print(f"  Em {folder}:")
    for kind, paths in kinds:
        for path in paths:
            output.print(f"    {kind:<8} {path.relative_to(folder)}")
