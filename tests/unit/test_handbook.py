"""The operator's handbook covers what an operator can meet: every alert with its topic, and its settings are read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lastro import manual
from lastro.cli import main
from lastro.errors import EXIT_CHECK_FAILED, EXIT_INTERRUPTED, EXIT_STALE, EXIT_TERMINATED, LastroError
from lastro.manual.search import find_topic
from lastro.operation.causes import TITLES, CauseKind
from lastro.quality.queries import ROOMS, read_queries
from lastro.reports.sheets import SHEETS
from lastro.run.happened import DEFECT, INTERRUPTED
from lastro.settings import load_settings, read_tokens
from lastro_pipelines.location import build_definitions
from lastro_pipelines.resources import Host

PAGE = manual.read_page("tres-da-manha")
TIGHT = manual.read_page("quando-o-caixa-aperta")
COMPANY = "[[empresa]]\nid = 'acme'\nnome = 'Acme'\nbase_url = 'https://acme.example.com'\ntoken_env = 'ACME'\n"


def test_the_settings_shown_are_read_and_are_the_defaults(tmp_path: Path) -> None:
    blocks = re.findall(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL)
    text = "\n".join(block for block in blocks if "[[empresa]]" not in block)
    (tmp_path / "lastro.toml").write_text(COMPANY + text, encoding="utf-8")
    shown = load_settings(tmp_path / "lastro.toml", {}, tmp_path)
    (tmp_path / "lastro.toml").write_text(COMPANY, encoding="utf-8")
    plain = load_settings(tmp_path / "lastro.toml", {}, tmp_path)
    assert shown.avisos.email is not None
    assert shown.avisos.webhook is not None
    assert (shown.avisos.horas_sem_execucao, shown.avisos.disco_minimo_mb) == (
        plain.avisos.horas_sem_execucao, plain.avisos.disco_minimo_mb,
    )  # fmt: skip
    assert shown.retencao == plain.retencao


def test_the_settings_of_the_server_are_whole_and_their_secrets_are_files(tmp_path: Path) -> None:
    (block,) = (text for text in re.findall(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL) if "[[empresa]]" in text)
    (tmp_path / "lastro.toml").write_text(block, encoding="utf-8")
    (tmp_path / "segredos").mkdir()
    (tmp_path / "segredos/acme").write_text("t0ken-1\n", encoding="utf-8")
    (tmp_path / "segredos/correio").write_text("senha\n", encoding="utf-8")
    for path in (tmp_path / "segredos").iterdir():
        path.chmod(0o600)
    settings = load_settings(tmp_path / "lastro.toml", {}, tmp_path)
    assert settings.dir == Path("/srv/lastro/dados")
    assert read_tokens(settings, settings.empresas, {})["acme"] is not None
    assert settings.avisos.email is not None
    assert settings.avisos.email.read_password({}) == "senha"


@pytest.mark.parametrize("kind", CauseKind)
def test_every_alert_has_its_row(kind: CauseKind) -> None:
    title = TITLES[kind].partition(":")[0]
    assert re.search(rf"^\| {re.escape(title)} \| .+ \| .+ \|$", PAGE, re.MULTILINE)


@pytest.mark.parametrize(
    "tema", ["atraso", DEFECT, "V32", "NÃO CONFIÁVEL", "Restaurar", "Execuções interrompidas e novas tentativas"]
)
def test_every_topic_that_an_alert_names_is_there(tema: str) -> None:
    assert manual.read_exact(tema)
    assert INTERRUPTED in find_topic("Execuções interrompidas e novas tentativas")


def test_every_check_of_dagster_has_its_row() -> None:
    rows = re.findall(r"^\| ([^|]+) \| .+ \| .+ \|$", find_topic("Verificações vermelhas"), re.MULTILINE)
    checks = {key.name for key in build_definitions(Host(env={})).resolve_asset_graph().asset_check_keys}
    rules = set(read_queries(*ROOMS))
    # The name of a rule's check goes on with what it holds.
    names = {name.partition("_")[0] if name.startswith("V") else name for name in checks}
    assert {row for row in rows if not row.startswith(("check", "-"))} == names - rules | {"uma regra V"}
    assert rules <= names


def test_every_exit_code_is_explained() -> None:
    codes = {int(code) for line in re.findall(r"^\| ([\d, ]+) \|", find_topic("códigos de saída"), re.MULTILINE)
             for code in line.split(",")}  # fmt: skip
    own = {kind.exit_code for kind in LastroError.__subclasses__()}
    assert codes == own | {0, 1, EXIT_CHECK_FAILED, EXIT_STALE, EXIT_INTERRUPTED, EXIT_TERMINATED}


def test_what_to_do_when_cash_is_short_is_a_page_of_commands_sheets_and_fields_that_exist() -> None:
    assert len(TIGHT.splitlines()) < 75  # one page
    told = re.findall(r"`lastro ([a-z-]+)((?: --[a-z-]+)?)", TIGHT)
    assert {name for name, _ in told} == {"run", "saldos", "estado"}
    for name, option in told:
        known = [text for param in main.commands[name].params for text in param.opts]
        assert not option or option.strip() in known
    sheets = {plan.name for plan in SHEETS} | {"Decidir", "Dias", "Contas", "Já pagos", "Capa"}
    assert {"Fazer", "Pagar", "Previsão", "Fluxo diário", "Decidir", "Já pagos", "Capa"} <= sheets & set(
        re.findall(r"\*([^*\n]+)\*", TIGHT)
    )
    desks = pytest.importorskip("lastro.desk.desks").DESKS
    fields = {field.header for desk in desks for kind in desk.kinds for field in kind.fields}
    assert {"Pagar em", "Adiar para", "Resposta"} <= fields & set(re.findall(r"`([^`\n]+)`", TIGHT))
