"""Lines of `lastro mapa` in a settings file: they are added, and nothing else changes."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from lastro.commands.settings_text import add_lines, write_over
from lastro.errors import ConfigError

HEAD = '# nossa\n[[empresa]]\nid = "acme"\n'
LINES = ['11 = "receita_bruta"  # Vendas', '30 = "fora"']
ADDED = {"11": "receita_bruta", "30": "fora"}
OTHER = '\n[[empresa]]\nid = "beta"\n[empresa.parametros]\nfechamento = "dia_util:3"\n'


def maps(text: str) -> list[dict[str, Any]]:
    return [table.get("parametros", {}).get("dre_mapa", {}) for table in tomllib.loads(text)["empresa"]]


@pytest.mark.parametrize(
    ("text", "before"),
    [
        (HEAD, {}),
        (HEAD + '[[empresa.conta]]\nconta_id = 1\n', {}),
        (HEAD + "[empresa.parametros]\nhorizonte = 3\n", {}),
        (HEAD + '[empresa.parametros]\ndre_mapa = { 40 = "fora" } # um\nhorizonte = 3\n', {"40": "fora"}),
        (HEAD + '[empresa.parametros.dre_mapa] # dois\n40 = "fora"\n\n[[empresa.conta]]\n', {"40": "fora"}),
    ],
    ids=["nothing", "account", "parameters", "inline", "table"],
)  # fmt: skip
def test_lines_are_added_to_the_company_and_all_else_stays(text: str, before: dict[str, str]) -> None:
    for tail in ("", OTHER, '\n[grupo]\nnome = "G"\n'):
        written = add_lines(text + tail, "acme", LINES)
        assert maps(written)[0] == {**before, **ADDED}
        assert all(not found for found in maps(written)[1:])
        assert '11 = "receita_bruta"  # Vendas' in written.splitlines()
        kept = [line for line in (text + tail).splitlines() if line.strip() and "dre_mapa =" not in line]
        assert [line for line in written.splitlines() if line in kept] == kept


def test_the_second_company_gets_its_own() -> None:
    assert maps(add_lines(HEAD + OTHER, "beta", LINES)) == [{}, ADDED]


def test_ends_of_lines_stay() -> None:
    written = add_lines(HEAD.replace("\n", "\r\n"), "acme", LINES)
    assert written.count("\r\n") == len(written.splitlines())


def test_mixed_ends_of_lines_and_a_mark_of_the_encoding_stay() -> None:
    """Two editors, and a comment with what Python takes for an end of a line."""
    text = '\ufeff# a\u2028b\r\n[[empresa]]\nid = "acme"\r\n' + OTHER
    written = add_lines(text, "acme", LINES)
    assert written.startswith('\ufeff# a\u2028b\r\n[[empresa]]\nid = "acme"\r\n\r\n[empresa.parametros.dre_mapa]\r\n')
    assert written.endswith(OTHER)
    added = written.removeprefix(text.removesuffix(OTHER)).removesuffix(OTHER)
    assert added.splitlines() == ["", "[empresa.parametros.dre_mapa]", *LINES]


def test_a_file_without_a_last_end_of_line_gets_one_before_what_is_added() -> None:
    assert maps(add_lines(HEAD.rstrip(), "acme", LINES)) == [ADDED]
    untouched = HEAD + OTHER.rstrip()
    assert add_lines(untouched, "acme", LINES).endswith(OTHER.rstrip())


@pytest.mark.parametrize(
    ("value", "comment"),
    [
        ('{ 40 = "fora" } # conferido {por} Ana', "# conferido {por} Ana"),
        ('{ 40 = "fora" }   # um # dois', "# um # dois"),
        ('{ 40 = "fora" }', ""),
        ("{}#vazio", "#vazio"),
    ],
)
def test_the_comment_of_a_map_in_one_line_stays(value: str, comment: str) -> None:
    text = HEAD + f"[empresa.parametros]\n# antes\ndre_mapa = {value}\nhorizonte = 3 # depois\n"
    written = add_lines(text, "acme", LINES).splitlines()
    assert f"[empresa.parametros.dre_mapa] {comment}".rstrip() in written
    assert [line for line in written if line in ("# antes", "horizonte = 3 # depois")] == [
        "# antes",
        "horizonte = 3 # depois",
    ]


@pytest.mark.parametrize(
    "text",
    [
        'empresa = [{ id = "acme" }]\n',
        HEAD + 'parametros = { dre_mapa = { 40 = "fora" } }\n',
        HEAD + 'parametros.dre_mapa.40 = "fora"\n',
        HEAD + 'nome = """\n[[empresa]]\n"""\n' + OTHER.replace("beta", "acme2") + '[[empresa]]\nid = "gama"\n',
    ],
    ids=["inline", "inline parameters", "dotted", "header in a text"],
)
def test_what_cannot_be_kept_whole_is_refused(text: str) -> None:
    company = "gama" if "gama" in text else "acme"
    with pytest.raises(ConfigError, match="Cole as linhas"):
        add_lines(text, company, LINES)


def test_a_file_is_exchanged_with_its_mode(tmp_path: Path) -> None:
    path, link = tmp_path / "lastro.toml", tmp_path / "link.toml"
    path.write_text("a")
    path.chmod(0o640)
    link.symlink_to(path)
    write_over(link, "b")
    assert (path.read_text(), path.stat().st_mode & 0o777, link.is_symlink()) == ("b", 0o640, True)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["lastro.toml", "link.toml"]
