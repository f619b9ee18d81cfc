"""Keys that left: a settings file of an earlier lastro says what becomes of each, and nothing changes in silence."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from lastro.cli import main
from lastro.errors import ConfigError
from lastro.settings import Settings, load_settings
from lastro.settings.former_keys import LEFT, NEVER

HEAD = """\
[[empresa]]
id = "acme"
nome = "Acme Ltda"
base_url = "https://api.example.com"
token_env = "ACME_TOKEN"
"""
BETA = HEAD.replace("acme", "beta")
OLD = (Path(__file__).parents[1] / "stored/lastro-0.1.toml").read_text(encoding="utf-8")
"""A file with every key that there was (those that exclude another as a comment)."""
ROOT = Path(__file__).parents[2]
TABLES = {"postgres", "kubernetes"}
"""Left before that file was written."""
KEYS = sorted(set(LEFT) - TABLES)
STOPPING = {
    "empresa.parametros.saldo_inicial_ref",
    "empresa.parametros.tolerancia",
    "empresa.parametros.baixar_anexos",
    "empresa.parametros.ultimo_dia_util_ano",
    "empresa.parametros.abc_cortes",
    "empresa.parametros.comparativo_base_minima",
    "empresa.parametros.data_fechamento",
    "empresa.parametros.natureza_por",
    "empresa.parametros.proj_dia_util",
    "empresa.parametros.vencidos_na_projecao",
    "empresa.parametros.projetar_infinitos",
    "empresa.parametros.comparativo_dias",
    "empresa.parametros.janela_prazos_dias",
    "empresa.parametros.vencido_cortes",
    "empresa.parametros.repasse_dias_max",
    "empresa.parametros.lembrete_dias",
    "empresa.parametros.fluxo_por_centro",
    "empresa.recorte.tags_modo",
    "empresa.exportar",
    "delta",
    "grupo.transferencia.de_lancamentos",
    "grupo.transferencia.para_lancamentos",
    "avisos.email.certificados",
    "avisos.email.seguranca",
    "avisos.webhook.certificados",
    "avisos.webhook.formato",
    "retencao.copias",
    "retencao.refeitas_dias",
    "retencao.sobras_dias",
}
"""Keys whose other values decided a figure, or how long something is kept."""
AS_NOW = {
    "empresa.parametros.saldo_inicial_ref": '"abertura"',
    "empresa.parametros.tolerancia": '"0.00"',
    "empresa.parametros.ordem_categorias": '"nome"',
    "empresa.parametros.anexos": "false",
    "empresa.parametros.baixar_anexos": "false",
    "empresa.parametros.listas_observadas": "true",
    "empresa.parametros.ultimo_dia_util_ano": "true",
    "empresa.parametros.abc_cortes": "[80, 95]",
    "empresa.parametros.comparativo_base_minima": "100",
    "retencao.copias": "2",
    "retencao.refeitas_dias": "7",
    "retencao.eventos_dias": "30",
    "retencao.quentes_dias": "7",
    "tentar_ate": '"12:00"',
    "empresa.parametros.natureza_por": '"categoria"',
    "empresa.parametros.proj_dia_util": "true",
    "empresa.parametros.vencidos_na_projecao": '"separado"',
    "empresa.parametros.projetar_infinitos": "false",
    "empresa.parametros.comparativo_dias": '"corridos"',
    "empresa.parametros.janela_prazos_dias": "90",
    "empresa.parametros.vencido_cortes": "[10, 25]",
    "empresa.parametros.repasse_dias_max": "35",
    "empresa.parametros.lembrete_dias": "3",
    "empresa.parametros.fluxo_por_centro": "false",
    "empresa.recorte.tags_modo": '"alguma"',
    "empresa.exportar": "[]",
    "grupo.transferencia.de_lancamentos": "[]",
    "grupo.transferencia.para_lancamentos": "[]",
    "avisos.email.seguranca": '"starttls"',
    "avisos.webhook.formato": '"texto"',
    "retencao.sobras_dias": "7",
}
"""What the defaults were: lastro goes on as with them."""
AROUND = {
    "avisos.email": 'servidor = "smtp.example.com"\nde = "a@example.com"\npara = ["b@example.com"]\n',
    "grupo.transferencia": 'de = "acme"\npara = "beta"\nde_pessoas = [1]\npara_pessoas = [1]\n',
    "empresa.recorte": 'nome = "Loja"\ntags = [1]\n',
    "avisos.webhook": 'endereco_env = "WEBHOOK"\n',
}
"""What else a table must have."""


def load(folder: Path, text: str) -> Settings:
    (folder / "lastro.toml").write_text(text, encoding="utf-8")
    return load_settings(folder / "lastro.toml", {}, folder)


def place(key: str) -> str:
    """Name a key as messages do."""
    return key.replace("empresa.", "empresa[acme].", 1).replace("recorte.", "recorte[Loja].").replace("ia.", "ia[1].")


def line_of(key: str) -> str:
    """Find the line of the old file that sets a key; of a table its head and all its lines."""
    table, _, name = key.rpartition(".")
    head = rf"\[{re.escape(table)}\]+\n(?:.*\n)*?" if table else "(?:.*\n)*?"
    found = re.search(rf"{head}({name} = .*|\[{name}\]\n(?:.+\n)*.+)\n", OLD)
    assert found is not None, key
    return found[1]


def alone(folder: Path, key: str, line: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Load a company with that line alone; return the mistakes and the notices."""
    table = key.rpartition(".")[0]
    if table == "empresa" or line.startswith("["):
        text = f"{HEAD}{line}\n"
    elif table in ("empresa.recorte", "grupo.transferencia"):
        text = f"{HEAD}[[{table}]]\n{AROUND[table]}{line}\n{BETA if table.startswith('grupo') else ''}"
    else:
        text = f"{HEAD}[{table}]\n{AROUND.get(table, '')}{line}\n" if table else f"{line}\n{HEAD}"
    try:
        return (), load(folder, text).deixadas
    except ConfigError as error:
        return error.mistakes, ()


@pytest.mark.parametrize("key", KEYS)
def test_a_key_of_the_old_file_is_told_with_its_cure(tmp_path: Path, key: str) -> None:
    mistakes, notices = alone(tmp_path, key, line_of(key))
    (told,) = mistakes or notices
    assert bool(mistakes) == (key in STOPPING)
    assert told.startswith(f"{tmp_path / 'lastro.toml'}: {place(key)}: já não é uma configuração")
    assert LEFT[key].cura in told


@pytest.mark.parametrize("key", sorted(AS_NOW))
def test_a_key_that_says_what_lastro_does_anyway_stops_nothing(tmp_path: Path, key: str) -> None:
    mistakes, notices = alone(tmp_path, key, f"{key.rpartition('.')[2]} = {AS_NOW[key]}")
    assert mistakes == ()
    (told,) = notices
    assert f"{place(key)}: já não é uma configuração e nada decide: " in told


def test_only_a_key_without_such_a_value_always_stops() -> None:
    assert {key for key in KEYS if LEFT[key].agora is NEVER} == set(KEYS) - set(AS_NOW)


@pytest.mark.parametrize("wrong", ['"muito"', "[]", "-1", "99999999999999999999"])
def test_a_value_that_never_was_one_stops_as_another_value_does(tmp_path: Path, wrong: str) -> None:
    (told,) = alone(tmp_path, "retencao.copias", f"copias = {wrong}")[0]
    assert "retencao.copias: já não é uma configuração" in told


def test_the_old_file_as_it_stands_names_every_key_that_stops_it_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "lastro.toml").write_text(OLD, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_settings(None, {}, tmp_path)
    assert sorted(re.findall(r"lastro\.toml: (\S+): ", "\n".join(caught.value.mistakes))) == sorted(
        place(key) for key in STOPPING
    )


def test_the_old_file_loads_once_the_lines_that_stop_it_are_mended(tmp_path: Path) -> None:
    text = OLD
    for key in STOPPING:
        text = text.replace(f"{line_of(key)}\n", "")
    (tmp_path / "lastro.toml").write_text(text, encoding="utf-8")
    settings = load_settings(None, {}, tmp_path)
    assert settings.empresa("acme").parametros.competencia_nula == "excluir"
    told = "\n".join(settings.deixadas)
    assert sorted(re.findall(r"lastro\.toml: (\S+): ", told)) == sorted(place(key) for key in set(KEYS) - STOPPING)


def test_a_command_tells_of_it_beside_what_it_prints(tmp_path: Path) -> None:
    load(tmp_path, f"{HEAD}\n[retencao]\neventos_dias = 60\n")
    told = CliRunner().invoke(main, ["estado", "--json", "--config", str(tmp_path / "lastro.toml")])
    assert "retencao.eventos_dias: já não é uma configuração" in " ".join(told.stderr.split())
    assert "eventos_dias" not in told.stdout


def test_a_file_of_now_is_told_nothing(tmp_path: Path) -> None:
    assert load(tmp_path, HEAD).deixadas == ()


def test_the_old_file_has_every_key_that_left() -> None:
    document = tomllib.loads(OLD)
    tables = {"": document, **{f"{name}.": document[name] for name in ("retencao", "avisos")}}
    tables |= {f"avisos.{name}.": document["avisos"][name] for name in ("email", "webhook")}
    acme = document["empresa"][0]
    tables |= {
        "grupo.transferencia.": document["grupo"]["transferencia"][0],
        "empresa.": acme,
        **{f"empresa.{name}.": acme[name] for name in ("parametros",)},
    }
    tables |= {f"empresa.{name}.": acme[name][0] for name in ("conta", "recorte")}
    there = {f"{table}{key}" for table, keys in tables.items() for key in keys}
    assert set(KEYS) <= there


def test_the_changelog_tells_of_every_key_with_its_cure() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    for key, left in LEFT.items():
        assert f"| `{key}` | {left.cura} |" in changelog
