"""Settings: every key right and wrong, all mistakes at once with file, key and fix, the environment, the tokens."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import fields
from datetime import date
from decimal import Decimal
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from lastro.errors import MOST_MISTAKES, ConfigError
from lastro.run.access import find_notices
from lastro.settings import (
    REGUA,
    Atraso,
    Avulso,
    Cenario,
    Conta,
    Empresa,
    EtapaRegua,
    Grupo,
    GrupoTransferencia,
    Parametros,
    Queda,
    Recorte,
    SaldoConferido,
    Settings,
    Window,
    find_settings_file,
    load_settings,
    read_tokens,
    setting_rows,
)
from lastro.settings.model import PAGAMENTOS
from tests.strangers import STRANGER, kept_out_of, open_place

HEAD = """\
[[empresa]]
id = "acme"
nome = "Acme Ltda"
base_url = "https://api.example.com"
token_env = "ACME_TOKEN"
"""


def load(folder: Path, text: str, env: Mapping[str, str] | None = None) -> Settings:
    file = folder / "lastro.toml"
    file.write_text(text, encoding="utf-8")
    return load_settings(file, env or {}, folder)


def mistakes_of(folder: Path, text: str) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        load(folder, text)
    return caught.value.mistakes


PARAMETROS: dict[str, tuple[str, Any, Any, tuple[str, ...]]] = {
    # key: right value as TOML, what it becomes, what it is without, wrong values as TOML
    "saldo_inicial_lancamentos": ("[1000, 1001]", (1000, 1001), (), ("1000", "[0]", "[-1]", '["1000"]', "[1.5]")),
    "saldo_inicial_categorias": ("[7]", (7,), (), ('"7"', "[true]", "[1000000000000000000]")),
    "composto_valor_pai": ('"total"', "total", "auto", ('"Total"', "[]", "{}")),
    "competencia_nula": ('"excluir"', "excluir", "vencimento", ('"nunca"', "2026-01-01")),
    "dre_mapa": ('{ 30 = "fora", 11 = "deducoes" }', {30: "fora", 11: "deducoes"}, {},
     ('{ 30 = "nada" }', "[30]", '{ x = "fora" }')),
    "dre_mapa_tolerancia_pct": ("2.5", Decimal("2.5"), Decimal(0), ("-1", "101", '"2 %"')),
    "venc_regra": ('"dia_util"', "dia_util", "corrido", ('"util"', "true")),
    "horizonte": ("{ dias = 30 }", {"dias": 30, "semanas": 13, "meses": 6}, {"dias": 45, "semanas": 13, "meses": 6},
     ("45", "{ dias = 0 }", "{ anos = 1 }", "{ dias = 99999999 }")),
    "historico_meses": ("24", 24, 12, ("0", "1.0", '"12"', "true", "99999999")),
    "feriados_extras": ('[2026-01-26, "2026-07-09"]', (date(2026, 1, 26), date(2026, 7, 9)), (),
     ("2026-01-26", '["26/01/2026"]', '["2026-02-30"]', "[2026-01-26T10:00:00]", '["20260126"]', "[10:00:00]",
      '["1899-12-31"]')),
    "categorias_antecipam": ("[91]", (91,), (), ("91", "[0]")),
    "multa_pct": ("{ receber = 10, pagar = 0.5 }", {"receber": Decimal(10), "pagar": Decimal("0.5")},
     {"receber": Decimal(2), "pagar": Decimal(0)},
     ("2", "{ receber = -1 }", "{ outros = 1 }", "{ receber = 1e2 }", "{ receber = true }")),
    "juros_pct_mes": ('{ pagar = "1.25" }', {"receber": Decimal(1), "pagar": Decimal("1.25")},
     {"receber": Decimal(1), "pagar": Decimal(0)},
     ("[1, 2]", '{ pagar = "1,25" }', "{ pagar = nan }")),
    "categorias_tributos": ("[91]", (91,), (), ("91", "[0]")),
    "juros_tributos_pct_mes": ("1.5", Decimal("1.5"), Decimal(1), ("-1", '"5 %"', "true")),
    "inadimplencia_dias": ("0", 0, 90, ("-1", "90.0", "99999999999")),
    "saldo_minimo": ('"-500.00"', Decimal("-500.00"), Decimal("0.00"), ('"1,00"', '"1.005"', "true", '"1e2"', "inf")),
    "fazer_minimo": ('"1000.00"', Decimal("1000.00"), Decimal("500.00"), ('"mil"', "true")),
    "fechamento_sem_mapa": ("true", True, False, ('"sim"', "1")),
    "fechamento": ('"dia_util:3"', "dia_util:3", None,
     ('"3"', '"dia_util:0"', '"dia_util:20"', "3", '"dia:3"', '"28/02/2026"', "20260228", "2200-01-01")),
    "formas_sem_cobranca": ("[302]", (302,), (), ("302", "[0]", '["cartao"]')),
    "pessoas_sem_cobranca": ("[501]", (501,), (), ("501", "[-1]")),
    "formas": ('{ 301 = "boleto" }', {301: "boleto"}, {},
     ('{ boleto = 301 }', "{ 301 = 1 }", '{ 301 = "" }', "{ 301 = 1.5 }")),
    "centros": ('{ 201 = "Loja" }', {201: "Loja"}, {}, ("[]", "{ 201 = true }")),
    "tags": ('{ 1 = "Projeto" }', {1: "Projeto"}, {}, ('"Projeto"',)),
    "tipos_documento": ('{ 4 = "NF-e" }', {4: "NF-e"}, {}, ("4",)),
    "regua": ('[{ nome = "Aviso", ate_dias = 10 }, { nome = "Jurídico" }]',
     (EtapaRegua("Aviso", 10), EtapaRegua("Jurídico", None)), REGUA,
     ("[]", '"Aviso"', '[{ nome = "Aviso", ate_dias = 10 }]', '[{ nome = "A" }, { nome = "B" }]', '["Aviso"]',
      '[{ nome = "A", ate_dias = 9 }, { nome = "B", ate_dias = 9 }, { nome = "C" }]',
      '[{ ate_dias = 1 }, { nome = "C" }]',
      '[{ nome = "A", ate_dias = 9 }, { nome = "A" }]', '[{ nome = "Lembrete" }]', '[{ nome = "A", ate = 1 }]',
      '[{ nome = "A", ate_dias = -1 }, { nome = "B" }]')),
    "limite_exclusoes": ("2.5", Decimal("2.5"), Decimal(5), ("-1", '"5 %"', "true")),
    "limite_alteracoes": ("12.5", Decimal("12.5"), Decimal(30), ("-1", '"30 %"')),
}  # fmt: skip
CONTA: dict[str, tuple[str, Any, Any, tuple[str, ...]]] = {
    "conta_id": ("102", 102, 101, ("0", "-1", '"102"', "102.0", "true", "1000000000000000000")),
    "descricao": ('" Banco Alfa "', "Banco Alfa", "", ('""', "1", "1.5")),
    "valor_saldo_inicial": ('"10000.00"', Decimal("10000.00"), None,
     ('"10.000,00"', "true", '"1.005"', "1e3", "nan", "1_000.50")),
    "data_saldo_inicial": ("2026-01-01", date(2026, 1, 1), None, ("2026", '"ontem"', "1899-12-31")),
    "ativa": ("false", False, True, ('"sim"',)),
    "tipo": ('"cartao"', "cartao", "conta", ('"poupanca"',)),
    "limite": ('"50000.00"', Decimal("50000.00"), None, ('"50.000,00"', "true", '"-1.00"')),
    "extrato": ('["341/12345-6", "99"]', ("341/12345-6", "99"), (), ('"341/12345-6"', "[341]", '[""]')),
    "saldos_conferidos": (
        '[{ data = 2026-01-31, valor = "8500.00" }]',
        (SaldoConferido(date(2026, 1, 31), Decimal("8500.00")),), (),
        ("2026-01-31", '[{ data = 2026-01-31 }]', '[{ data = 2026-01-31, valor = "x" }]', "[1]",
         '[{ data = 2026-01-31, valor = "1.00", saldo = 1 }]'),
    ),
}  # fmt: skip
EMPRESA: dict[str, tuple[str, Any, Any, tuple[str, ...]]] = {
    "id": ('"loja-2_b"', "loja-2_b", "acme",
     ('"Loja"', '"a b"', '""', '"../x"', "1", "1e5", '"ação"', '"dagster"', f'"{"x" * 65}"')),
    "nome": ('" Acme "', "Acme", "Acme Ltda", ('"  "', "7", "2.5")),
    "base_url": (
        '"https://api.example.com/v1/"', "https://api.example.com", "https://api.example.com",
        ('"api.example.com"', '"ftp://api.example.com"', '"https://"', '"https://a b"', '"http://[::1"', "1",
         '"http://x:99999"', '"https://user:senha@api.example.com"', '"https://api.example.com?access_token=abc"',
         '"https://api.example.com/#a"', '"https://☃.com"', '"https://xn--ls8h.la"', '"https://999.1.1.1"',
         '"https://[v1.a]"', '"https://api.example.com/?"', '"https://api.example.com?"', '"https://xn--.invalid"',
         '"https://%20"', f'"https://{"a" * 64}.example.com"', '"https://api..example.com"'),
    ),
    "token_env": ('"ACME_TOKEN_2"', "ACME_TOKEN_2", "ACME_TOKEN",
     ('"2TOKEN"', '"a-b"', '""', "1", '"ABCDEF0123456789abcd"')),
    "limites": ('["10/1s"]', (Window(10, 1),), (Window(100, 60), Window(200, 300)),
     ('"10/1s"', '["10"]', '["0/1s"]', '["10/0s"]', "[10]", '["1/1m"]', '["9999999/60s"]', '["1/3601s"]',
      '[" 100 / 60 s"]')),
    "permitir_http": ("true", True, False, ('"true"', "1")),
    "dados_pessoais": ("false", False, True, ('"não"', "0")),
    "responsaveis": ('["Ana"]', ("Ana",), (), ('"Ana"', '[""]', "[1]")),
    "ordem_pagamentos": (
        '["comerciais", "pessoal"]', ("comerciais", "pessoal"), PAGAMENTOS, ('"pessoal"', '["receita_bruta"]', "[1]")
    ),
    "aprovadores": ('["Ana"]', ("Ana",), ("Bia",), ('"Ana"', '[""]', "[1]")),
    "aprovacao_minima": ('"5000.00"', Decimal("5000.00"), None, ('"5.000,00"', "true", '"cinco mil"')),
    "textos_cobranca": (
        '{ "Contato" = "Oi {cliente}" }', {"Contato": "Oi {cliente}"}, {},
        ('"Oi"', '{ "Contato" = 1 }', '{ "Contato" = "Olá {nome}" }', '{ "Ligar" = "Olá" }'),
    ),
}  # fmt: skip


def test_the_tables_above_hold_every_key() -> None:
    assert set(PARAMETROS) == {item.name for item in fields(Parametros)}
    assert set(CONTA) == {item.name for item in fields(Conta)}
    files = {"token_file", "certificados", "pasta_cobranca", "pasta_entrada"}  # tested on their own, below
    assert set(EMPRESA) | files == {item.name for item in fields(Empresa) if "about" in item.metadata}
    assert {item.name for item in fields(SaldoConferido)} == {"data", "valor"}


KEYS = {
    "parametros": (PARAMETROS, HEAD + "[empresa.parametros]\n", lambda empresa: empresa.parametros),
    "conta[": (CONTA, HEAD + "[[empresa.conta]]\nconta_id = 101\n", lambda empresa: empresa.contas[0]),
    "": (EMPRESA, HEAD + 'aprovadores = ["Bia"]\n', lambda empresa: empresa),
}
"""Table of a company -> its keys, what stands before one of them, and what they are read into."""


def write_key(table: str, key: str, value: str) -> str:
    """Write a file with one key; what stood there of that name goes."""
    lines = KEYS[table][1].splitlines()
    return "\n".join([*(line for line in lines if not line.startswith(f"{key} =")), f"{key} = {value}\n"])


@pytest.mark.parametrize(("table", "key"), [(table, key) for table, (keys, _, _) in KEYS.items() for key in keys])
def test_a_key_is_read_and_has_its_default(tmp_path: Path, table: str, key: str) -> None:
    keys, _, find = KEYS[table]
    right, expected, default, _ = keys[key]
    for text, wanted in ((write_key(table, key, right), expected), (KEYS[table][1], default)):
        found = getattr(find(load(tmp_path, text).empresas[0]), key)
        assert found == wanted
        assert type(found) is type(wanted)


@pytest.mark.parametrize(
    ("table", "key", "wrong"),
    [(table, key, wrong) for table, (keys, _, _) in KEYS.items() for key, row in keys.items() for wrong in row[3]],
)
def test_a_wrong_key_is_named_with_its_file_and_its_value_is_not_quoted(
    tmp_path: Path, table: str, key: str, wrong: str
) -> None:
    (mistake,) = mistakes_of(tmp_path, write_key(table, key, wrong))
    assert mistake.startswith(f"{tmp_path / 'lastro.toml'}: empresa[")
    assert f".{table}" in mistake
    assert f".{key}" in mistake
    assert "senha" not in mistake
    assert "access_token=abc" not in mistake


MISTAKES: dict[str, tuple[str, ...]] = {
    "a company that is no table": ("empresa = 1", "escreva cada uma como [[empresa]]", "nenhuma empresa"),
    "a company of one bracket": ("[empresa]\nid = 'a'", "escreva cada uma como [[empresa]]", "nenhuma empresa"),
    "file": (
        """\
fusoo = "UTC"
fuso = "America/Sao_Paula"
[[empresa]]
id = "Acme Ltda"
nome = ""
base_url = "acme"
token = "segredo-123"
limites = ["muitos"]
[[empresa.conta]]
conta_id = 101
saldo = 1
[[empresa.conta]]
conta_id = 101
valor_saldo_inicial = "1.234,56"
[[empresa.conta]]
conta_id = 102
tipo = "cartao"
limite = "9000.00"
[empresa.parametros]
historico_meses = 0
horizont = { dias = 3 }
[[empresa]]
id = "beta"
nome = "Beta"
base_url = "https://beta.example.com"
token_env = "BETA_TOKEN"
[[empresa]]
id = "beta"
nome = "Beta outra vez"
base_url = "https://beta.example.com"
token_env = "BETA_TOKEN"
""",
        "fusoo: chave desconhecida",
        "fuso: escreva um fuso",
        '.token: chave desconhecida; um segredo não fica neste arquivo: export X=... e token_env = "X"',
        ".id: use só a-z",
        ".nome: escreva um texto",
        ".base_url: escreva um endereço",
        ".token_env: falta",
        ".limites: escreva pedidos por janela",
        ".conta[101].saldo: chave desconhecida",
        ".conta[101].valor_saldo_inicial: escreva um valor",
        ".conta[102].limite: o limite de um cartão não é dinheiro da conta",
        ".conta.conta_id: 101 aparece duas vezes",
        ".parametros.historico_meses: escreva um número inteiro",
        ".parametros.horizont: chave desconhecida",
        "empresa.id: «beta» aparece duas vezes",
    ),
    "scenarios": (
        HEAD
        + """\
[[empresa.cenario]]
nome = "–"
calote_pct = 100.1
recuperacao_dias = -1
cor = "azul"
atrasos = [{ pessoa_id = 501, dias = 0 }, { pessoa_id = 0, dias = 1 }]
quedas = [{ categoria_id = 11, percentual = 1 }, { categoria_id = 11, percentual = 2 }]
avulsos = [{ data = 2026-04-05 }, 1]
[[empresa.cenario]]
nome = "Vazio"
[[empresa.cenario]]
calote_pct = 1
[[empresa.cenario]]
nome = "A b"
calote_pct = 1
[[empresa.cenario]]
nome = "á–B"
calote_pct = 1
[[empresa.cenario]]
nome = "Lista"
quedas = 7
""",
        "cenario[–].nome: escreva um nome com letras ou dígitos",
        "cenario[–].calote_pct: escreva uma porcentagem de 0 a 100",
        "cenario[–].recuperacao_dias: escreva um número inteiro de 0",
        "cenario[–].cor: chave desconhecida",
        "cenario[–].atrasos[1].dias: ",
        "cenario[–].atrasos[2].pessoa_id: ",
        "cenario[–].quedas.categoria_id: 11 aparece duas vezes",
        "cenario[–].avulsos[1].valor: falta",
        "cenario[–].avulsos[2]: escreva como uma tabela",
        "cenario[Vazio]: não muda nada",
        "cenario[3].nome: falta",
        "cenario[á–B].nome: lê-se como «A b»",
        "cenario[Lista].quedas: ",
    ),
    "scopes": (
        HEAD
        + """\
[[empresa.recorte]]
nome = "Loja 2"
centros = [202]
[[empresa.recorte]]
nome = "loja-2"
contas = [1]
[[empresa.recorte]]
nome = "Tudo"
[[empresa.recorte]]
nome = "–"
pessoas = [0]
""",
        "recorte[loja-2].nome: lê-se como «Loja 2»",
        "recorte[Tudo]: não deixa nada de fora",
        "recorte[–].nome: escreva um nome",
        "recorte[–].pessoas: escreva um número inteiro",
    ),
    "group": (
        HEAD
        + """\
[grupo]
nome = 7
cor = 1
[[grupo.transferencia]]
de = "acme"
para = "gama"
de_pessoas = [0]
[[grupo.transferencia]]
de = "acme"
para = "acme"
de_pessoas = [1]
para_pessoas = [1]
""",
        "grupo.nome: escreva um texto",
        "grupo.cor: chave desconhecida",
        "grupo.transferencia[1].de_pessoas: escreva um número inteiro",
        "grupo.transferencia[1].para: não há essa empresa",
        "grupo.transferencia[1].para_pessoas: nada nomeia os lançamentos em para",
        "grupo.transferencia[2].para: a mesma empresa",
    ),
}
"""A file, and what is told of it: every mistake at once, each once, and no other."""


@pytest.mark.parametrize("name", MISTAKES)
def test_every_mistake_is_named_at_once(tmp_path: Path, name: str) -> None:
    text, *expected = MISTAKES[name]
    found = mistakes_of(tmp_path, text)
    for part in expected:
        assert sum(part in mistake for mistake in found) == 1, part
    assert len(found) == len(expected)
    assert all(mistake.startswith(f"{tmp_path / 'lastro.toml'}: ") for mistake in found)
    assert "segredo-123" not in "\n".join(found)


OPERATION = """\
[avisos]
horas_sem_execucao = 30
[avisos.email]
servidor = "smtp.example.com"
de = "lastro@example.com"
para = ["ana@example.com", "caio@example.com"]
usuario = "lastro"
senha_file = "senha"
[avisos.webhook]
endereco_env = "CHAT"
[retencao]
paginas_dias = 10
"""
UNPRINTABLE = {
    "\\u2028": "U+2028 (LINE SEPARATOR)",
    "\\u2029": "U+2029 (PARAGRAPH SEPARATOR)",
    "\\u202e": "U+202E (RIGHT-TO-LEFT OVERRIDE)",
    "\\u200b": "U+200B (ZERO WIDTH SPACE)",
    "\\u0000": "U+0000",
    "\\u0085": "U+0085",
    "\\uFFFF": "U+FFFF",
    "\\n": "U+000A",
    "\\t": "U+0009",
}
"""As TOML writes them; what is told."""
NAMES = {
    "empresa[acme].nome": HEAD.replace("Acme Ltda", "{}"),
    "empresa[acme].responsaveis": HEAD + 'responsaveis = ["Ana", "{}"]',
    "empresa[acme].aprovadores": HEAD + 'aprovadores = ["Ana", "{}"]',
    "empresa[acme].conta[1].descricao": HEAD + '[[empresa.conta]]\nconta_id = 1\ndescricao = "{}"',
    "empresa[acme].parametros.centros": HEAD + '[empresa.parametros]\ncentros = {{ 1 = "{}" }}',
    "empresa[acme].parametros.regua": HEAD + '[empresa.parametros]\nregua = [{{ nome = "{}" }}]',
    "empresa[acme].textos_cobranca": HEAD + 'textos_cobranca = {{ Contato = "{}" }}',
    "grupo.nome": HEAD + '[grupo]\nnome = "{}"',
    "dir": 'dir = "{}"\n' + HEAD,
}
REFUSED: list[tuple[str, str]] = [
    ("", "nenhuma empresa"),
    ("empresa = [1]", "escreva como uma tabela"),
    ('grupo = "x"\n' + HEAD, "grupo: escreva como uma tabela"),
    (HEAD + "[empresa.conta]\nconta_id = 1", "escreva cada uma como [[empresa.conta]]"),
    (HEAD + "parametros = 3", "escreva como uma tabela"),
    (HEAD + "conta = [3]", "escreva como uma tabela"),
    ("dir = 3\n" + HEAD, "dir: escreva um texto"),
    ("dir = 1.5\n" + HEAD, "dir: escreva um texto"),
    ('fuso = "Brasília"\n' + HEAD, "fuso: escreva um fuso"),
    ('fuso = "../../etc/passwd"\n' + HEAD, "fuso: escreva um fuso"),
    ('fuso = "America"\n' + HEAD, "fuso: escreva um fuso"),
    ("id = = 3", "não é TOML válido: linha 1, coluna 6: falta um valor, ou um texto sem aspas"),
    ("[[empresa]]\nid = 'a'\nid = 'b'\nx=1", "não é TOML válido: linha 3, coluna 9: a mesma chave duas vezes"),
    ("[grupo]\n[grupo]", "linha 2, coluna 7: a mesma tabela duas vezes"),
    ("dir = “dados”", 'linha 1: o caractere 7, aspas tipográficas; escreva aspas retas (").'),
    ('a = 1\nnomes = ["Ana", ‘Bia’]', "linha 2: o caractere 17, aspas tipográficas"),
    ('nome = "Acme”\nb = 1', "linha 1: o caractere 13, aspas tipográficas"),
    ("“dir” = 'dados'", "linha 1: o caractere 1, aspas tipográficas"),
    ('dir\u00a0= "dados"', "linha 1: o caractere 4, um espaço que não é o comum; escreva espaços comuns."),
    ("dia = 2026–01–31", "linha 1: o caractere 11, um traço que não é o hífen; escreva o hífen (-)."),
    (r'dir = "C:\dados"', "linha 1, coluna 12: barra invertida num texto; escreva / ou duas."),
    ("dir = dados", "linha 1, coluna 7: falta um valor, ou um texto sem aspas."),
    ("dir 'dados'", "linha 1, coluna 5: falta o = depois da chave."),
    ("a = 1 b = 2", "linha 1, coluna 7: algo depois do valor."),
    ("a = [1, 2", "não é TOML válido: no fim do arquivo: colchete ou chave que não fecha."),
    ("[empresa\nid = 1", "linha 1, coluna 9: falta ] no fim de uma tabela."),
    ('dir = "da', "aspas que não fecham"),
    ('nome = "Loja “A”"\n' + HEAD, "nome: chave desconhecida"),
    ("fuzo = 'UTC'\n" + HEAD, "fuzo: chave desconhecida; seria fuso?"),
    (HEAD + "[empresa.parametros]\nhistorico_mes = 3", "historico_mes: chave desconhecida; seria historico_meses?"),
    (HEAD + "historico_meses = 3", "historico_meses: chave desconhecida; é de [empresa.parametros]."),
    (HEAD + "paginas_dias = 3", "paginas_dias: chave desconhecida; é de [retencao]."),
    (
        HEAD + "[[empresa.recorte]]\nnome = 'A'\ntags = [1]\ndias = 1",
        "dias: chave desconhecida; é de atrasos de [[empresa.cenario]].",
    ),
    (HEAD + "contas = [1]", "contas: chave desconhecida; seria conta? Ou é de [[empresa.recorte]]."),
    (HEAD + "[[conta]]\nconta_id = 1", "conta: chave desconhecida; é [[empresa.conta]]."),
    ("xyz = 1\n" + HEAD, "xyz: chave desconhecida; há dir, fuso, [[empresa]], [grupo], "),
    *(
        (f'enderecos_ui = ["{address}"]\n{HEAD}', "enderecos_ui: escreva endereços sem caminho")
        for address in ("*", "null", "lastro.example.com", "https://a.example/dagster", "https://u:s@a.example",
                        "https://a.example:99999", "https://*.example.com", "https://a.example?x", "ftp://a.example",
                        "https://a .example", "https://a.example:0")
    ),
    *((f"leitores = {written}\n{HEAD}", 'leitores: escreva um de "dono", "grupo"') for written in ('"todos"', "true")),
    *(
        (HEAD.replace("https://api.example.com", f"http://{host}:8080"),
         "empresa[acme].base_url: token e livros passariam pela rede sem criptografia")
        for host in ("10.0.0.5", "api.example.com", "[fd00::1]", "localhost.example.com", "2130706433")
    ),
    *(
        (f"{HEAD}conta = [{{ conta_id = 101, extrato = {first} }}, {{ conta_id = 102, extrato = {second} }}]\n", told)
        for first, second, told in (
            ('["341/123456"]', '["0341/12345-6"]', "já é da conta 101"),
            ('["nenhum", "341/1"]', '["341/2"]', "quer dizer sem banco"),
        )
    ),
    ('volume = "/dados/.volume"\n' + HEAD, "volume: escreva o nome de um arquivo em dir"),
    (HEAD + 'token_file = "f"\n', "empresa[acme].token_env"),
    *(
        (re.sub(f"(?m)^{key} = .*\n", "", HEAD), f".{key}: falta; ") for key in ("id", "nome", "base_url", "token_env")
    ),
    *(
        (f"{HEAD}{written}\n", f".{key}: ")
        for key, written in (
            ("aprovacao_minima", 'aprovacao_minima = "5000.00"'),
            ("aprovacao_minima", 'aprovacao_minima = "5000.00"\naprovadores = []'),
            ("aprovacao_minima", 'aprovacao_minima = "-1.00"\naprovadores = ["Ana"]'),
            ("aprovadores", 'aprovacao_minima = "0.00"\naprovadores = ["."]'),
            # Another A, of Cyrillic, beside Ana: neither approves what the other asks for.
            ("responsaveis", 'aprovacao_minima = "0.00"\naprovadores = ["Ana"]\nresponsaveis = ["\u0410na"]'),
        )
    ),
    *(
        (f'{HEAD}[[empresa.{table}]]\nnome = "Lo\\u2028ja"\n', ".nome: tire o caractere 3, U+2028")
        for table in ("recorte", "cenario")
    ),
    *(
        (text.format(f"Lo{written}ja"), f"lastro.toml: {key}: tire o caractere 3, {told}: não se imprime.")
        for key, text in NAMES.items() for written, told in UNPRINTABLE.items()
        if not (key.endswith("textos_cobranca") and written in ("\\n", "\\t"))
    ),
    (HEAD.replace("Acme Ltda", "x" * 201), "empresa[acme].nome: escreva no máximo 200 caracteres; tem 201."),
    (f"{HEAD}textos_cobranca = {{ Contato = '{'x' * 4_001}' }}\n", "textos_cobranca: "),
    (HEAD + "".join(f'[[empresa.cenario]]\nnome = "C{n}"\ncalote_pct = 1\n' for n in range(13)),
     "13 cenários; no máximo 12"),
    (f'{HEAD}pasta_entrada = "dados/acme/privado"\n', "pasta_entrada: fica onde o lastro guarda os próprios arquivos"),
    *(
        (HEAD + OPERATION.replace(before, after), told)
        for before, after, told in (
            ('"lastro@example.com"', '"lastro"', "avisos.email.de: escreva endereços de e-mail"),
            ('["ana@example.com", "caio@example.com"]', "[]", "avisos.email.para: ninguém seria avisado"),
            ('senha_file = "senha"\n', "", "avisos.email.senha_env: escreva usuario com um de"),
            ('usuario = "lastro"\n', "", "avisos.email.senha_env: escreva usuario com um de"),
            ('"CHAT"', '"CHAT"\nendereco = "x"', "avisos.webhook.endereco: chave desconhecida"),
            ('endereco_env = "CHAT"\n', "", "avisos.webhook.endereco_env: escreva um de"),
            ("execucao = 30", "execucao = 0", "avisos.horas_sem_execucao: escreva um número inteiro"),
            ("paginas_dias = 10", "paginas_dias = -1", "retencao.paginas_dias: escreva um número inteiro de 0"),
            ('"smtp.example.com"', '"a b"', "avisos.email.servidor: escreva o nome de uma máquina"),
        )
    ),
]  # fmt: skip
"""A file with one mistake, or with some of one kind, and what is told of it."""


@pytest.mark.parametrize(("text", "told"), REFUSED)
def test_a_mistake_is_told_with_its_place_and_its_fix(tmp_path: Path, text: str, told: str) -> None:
    (mistake,) = mistakes_of(tmp_path, text)
    assert told in mistake


def test_what_a_mistake_asks_for_is_read(tmp_path: Path) -> None:
    settings = load(tmp_path, f"""enderecos_ui = ["https://Lastro.example.com/", "http://[fd00::1]:8080"]
leitores = "grupo"\n{HEAD.replace("https://api", "http://api")}permitir_http = true\nlimites = ["1/3600s"]
textos_cobranca = {{ Contato = "{"x" * 4_000}" }}
aprovacao_minima = "0.00"\naprovadores = ["Ana"]\nresponsaveis = ["Zoë"]""")  # fmt: skip
    assert (settings.enderecos_ui, settings.leitores) == (
        ("https://lastro.example.com", "http://[fd00::1]:8080"), "grupo",
    )  # fmt: skip
    assert (settings.empresas[0].em_claro, settings.empresas[0].limites) == (True, (Window(1, 3600),))
    keys = enumerate(('["341/1"]', '["341/1/poupanca", "1"]', '["nenhum"]', '["nenhum"]'), 101)
    accounts = "".join(f"[[empresa.conta]]\nconta_id = {number}\nextrato = {key}\n" for number, key in keys)
    plain = load(tmp_path, f"{HEAD.replace('Acme Ltda', 'x' * 200)}limites = []\n{accounts}")
    assert (plain.enderecos_ui, plain.leitores, plain.empresas[0].limites) == ((), "dono", ())
    with pytest.raises(ConfigError, match="sem criptografia"):
        load_settings(None, {"LASTRO_BASE_URL": "http://10.0.0.5:8080"}, tmp_path / "elsewhere")


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="o arquivo não existe"):
        load_settings(tmp_path / "outro.toml", {}, tmp_path)
    (tmp_path / "lastro.toml").write_bytes(b'nome = "\xff\xfe"')
    with pytest.raises(ConfigError, match="UTF-8"):
        load_settings(None, {}, tmp_path)
    with pytest.raises(ConfigError, match="não pode ser lido"):
        load_settings(tmp_path, {}, tmp_path)


def test_a_file_that_may_not_be_read_is_told_as_that() -> None:
    with open_place() as place:
        (place / "lastro.toml").write_text(HEAD, encoding="utf-8")
        (place / "lastro.toml").chmod(0o600)
        with kept_out_of(place) as owner, pytest.raises(ConfigError) as caught:
            load_settings(None, {}, place)
    (mistake,) = caught.value.mistakes
    assert mistake.startswith(f"{place / 'lastro.toml'}: a pasta {place} é de {owner}")
    assert "UTF-8" not in mistake


def test_the_file_of_a_folder_above_is_found_unless_the_environment_describes_a_company(tmp_path: Path) -> None:
    deep = tmp_path / "dados" / "acme" / "relatorios"
    deep.mkdir(parents=True)
    with pytest.raises(ConfigError, match=r"nem numa pasta acima .* Vá à pasta do seu lastro\.toml, ou dê --config"):
        load_settings(None, {}, deep)
    settings = load(tmp_path, HEAD)
    assert load_settings(None, {}, deep) == settings
    assert find_settings_file(None, deep) == tmp_path / "lastro.toml"
    assert load_settings(None, {"LASTRO_BASE_URL": "https://b.example.com"}, deep).origem == "ambiente"
    (deep.parent / "lastro.toml").write_text(HEAD.replace("acme", "beta"), encoding="utf-8")
    assert load_settings(None, {}, deep).ids == ("beta",)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to others")
def test_the_file_of_another_user_above_is_used_only_where_it_is_named(tmp_path: Path) -> None:
    load(tmp_path, HEAD)
    (tmp_path / "sub").mkdir()
    os.chown(tmp_path / "lastro.toml", STRANGER, STRANGER)
    with pytest.raises(ConfigError, match="é de outro usuário, numa pasta acima desta"):
        load_settings(None, {}, tmp_path / "sub")
    assert load_settings(tmp_path / "lastro.toml", {}, tmp_path / "sub").ids == ("acme",)
    assert load_settings(None, {}, tmp_path).ids == ("acme",)


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "lastro.toml").write_text(HEAD, encoding="utf-8-sig")
    assert load_settings(None, {}, tmp_path).empresas[0].id == "acme"


def test_the_folder_and_the_zone_that_no_key_names(tmp_path: Path) -> None:
    settings = load(tmp_path, HEAD)
    assert (settings.dir, settings.fuso) == (tmp_path / "dados", "America/Sao_Paulo")
    assert settings.pasta(settings.empresa("acme")) == tmp_path / "dados" / "acme"


def test_money_as_a_toml_number_is_taken_by_its_literal(tmp_path: Path) -> None:
    """0.1 + 0.2 would show: the literal never becomes a binary fraction."""
    text = HEAD + "[[empresa.conta]]\nconta_id = 1\nvalor_saldo_inicial = 1234567890123456.78\n"
    assert load(tmp_path, text).empresas[0].contas[0].valor_saldo_inicial == Decimal("1234567890123456.78")
    text = HEAD + "[[empresa.conta]]\nconta_id = 1\nvalor_saldo_inicial = 10\n"
    assert str(load(tmp_path, text).empresas[0].contas[0].valor_saldo_inicial) == "10.00"


def test_an_unknown_company_names_those_there_are(tmp_path: Path) -> None:
    settings = load(tmp_path, HEAD + HEAD.replace("acme", "beta"))
    with pytest.raises(ConfigError, match=r"não há empresa «gama»\. Há: acme, beta\."):
        settings.empresa("gama")


def test_the_file_of_the_working_folder_wins_over_the_environment(tmp_path: Path) -> None:
    settings = load(tmp_path, HEAD, {"LASTRO_BASE_URL": "https://other.example.com"})
    assert settings.empresas[0].base_url == "https://api.example.com"
    assert load_settings(None, {"LASTRO_BASE_URL": "https://other.example.com"}, tmp_path) == settings


def test_the_environment_describes_one_company(tmp_path: Path) -> None:
    env = {
        "LASTRO_BASE_URL": "https://api.example.com/v1",
        "LASTRO_CONTAS": "101, 102",
        "LASTRO_DIR": "saida",
        "LASTRO_ACCESS_TOKEN": "segredo",
    }
    settings = load_settings(None, env, tmp_path)
    (empresa,) = settings.empresas
    assert (empresa.id, empresa.base_url, empresa.token_env) == (
        "empresa",
        "https://api.example.com",
        "LASTRO_ACCESS_TOKEN",
    )
    assert [conta.conta_id for conta in empresa.contas] == [101, 102]
    assert settings.dir == tmp_path / "saida"
    assert empresa.limites == (Window(100, 60), Window(200, 300))
    assert read_tokens(settings, settings.empresas, env) == {"empresa": "segredo"}
    assert "segredo" not in repr(settings)
    assert load_settings(None, {"LASTRO_BASE_URL": "http://127.0.0.1:8200"}, tmp_path).dir == tmp_path / "dados"


@pytest.mark.parametrize("contas", ["abc", "101;102", "0", "-1", "101,101", "1.5", "1" * 20])
def test_wrong_accounts_in_the_environment_are_told(tmp_path: Path, contas: str) -> None:
    env = {"LASTRO_BASE_URL": "sem esquema", "LASTRO_CONTAS": contas}
    with pytest.raises(ConfigError) as caught:
        load_settings(None, env, tmp_path)
    assert len(caught.value.mistakes) == 2
    assert "ambiente: LASTRO_BASE_URL: " in caught.value.mistakes[0]
    assert "ambiente: LASTRO_CONTAS: " in caught.value.mistakes[1]


def test_without_file_and_environment_both_ways_are_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load_settings(None, {}, tmp_path)
    for part in ("lastro.toml", "LASTRO_BASE_URL", "LASTRO_ACCESS_TOKEN", "LASTRO_CONTAS", "LASTRO_DIR"):
        assert part in str(caught.value)


def test_every_missing_token_is_told_and_no_token_is_quoted(tmp_path: Path) -> None:
    settings = load(tmp_path, HEAD + HEAD.replace("acme", "beta").replace("ACME", "BETA"))
    with pytest.raises(ConfigError) as caught:
        read_tokens(settings, settings.empresas, {"BETA_TOKEN": "meio\x07token"})
    assert len(caught.value.mistakes) == 2
    assert "empresa[acme].token_env: a variável ACME_TOKEN não está definida" in caught.value.mistakes[0]
    assert "BETA_TOKEN tem espaços ou caracteres de controle" in caught.value.mistakes[1]
    assert "token\x07" not in str(caught.value)
    assert "meio" not in str(caught.value)
    tokens = read_tokens(settings, settings.empresas, {"ACME_TOKEN": " a ", "BETA_TOKEN": "b"})
    assert tokens == {"acme": "a", "beta": "b"}


def test_the_parameters_are_listed_as_people_read_them() -> None:
    parametros = Parametros(dre_mapa={30: "fora"}, feriados_extras=(date(2026, 1, 26),), fechamento=None)
    rows = {name: (text, about) for name, text, about in setting_rows(parametros)}
    assert set(rows) == set(PARAMETROS)
    assert rows["dre_mapa"][0] == "30 = fora"
    assert rows["feriados_extras"][0] == "26/01/2026"
    assert rows["fechamento"][0] == "–"
    assert rows["tags"][0] == "–"
    assert all(about for _, about in rows.values())


SCENARIO = """
[[empresa.cenario]]
nome = "Aperto"
calote_pct = 12.5
recuperacao_dias = 0
atrasos = [{ pessoa_id = 501, dias = 15 }]
quedas = [{ categoria_id = 11, percentual = 20 }]
avulsos = [{ data = 2026-04-05, valor = "-30000.00", descricao = "Reforma" }]
"""


GROUP = """
[grupo]
nome = "Grupo Acme"
[[grupo.transferencia]]
de = "acme"
para = "beta"
de_pessoas = [602]
de_categorias = [23]
para_categorias = [9]
"""


def test_a_group_is_read(tmp_path: Path) -> None:
    both = HEAD + HEAD.replace("acme", "beta")
    assert load(tmp_path, both + GROUP).grupo == Grupo(
        "Grupo Acme",
        (GrupoTransferencia("acme", "beta", de_pessoas=(602,), de_categorias=(23,), para_categorias=(9,)),),
    )
    assert load(tmp_path, both).grupo == Grupo("Grupo")


READ: list[tuple[str, str, Any]] = [
    ("", "cenarios", ()),
    (
        SCENARIO + '[[empresa.cenario]]\nnome = "Só calote"\ncalote_pct = 100\n', "cenarios",
        (
            Cenario("Aperto", Decimal("12.5"), 0, (Atraso(501, 15),), (Queda(11, Decimal(20)),),
                    (Avulso(date(2026, 4, 5), Decimal("-30000.00"), "Reforma"),)),
            Cenario("Só calote", Decimal(100), 30),
        ),
    ),
    ('[[empresa.recorte]]\nnome = "Loja 2"\ncentros = [202]\ntags = [1, 2]\n', "recortes",
     (Recorte("Loja 2", centros=(202,), tags=(1, 2)),)),
    *((f"[empresa.parametros]\nfechamento = {day}\n", "parametros.fechamento", date(2026, 2, 28))
      for day in ("2026-02-28", '"2026-02-28"')),
]  # fmt: skip
"""What stands after the head, and what an attribute of the company is then."""


@pytest.mark.parametrize(("text", "name", "wanted"), READ)
def test_what_is_written_is_read(tmp_path: Path, text: str, name: str, wanted: object) -> None:
    assert attrgetter(name)(load(tmp_path, HEAD + text).empresas[0]) == wanted


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "127.9.9.9"])
def test_http_on_this_machine_needs_no_leave(tmp_path: Path, host: str) -> None:
    assert not load(tmp_path, HEAD.replace("https://api.example.com", f"http://{host}:8080")).empresas[0].em_claro


CA = Path(__file__).parents[1] / "stored/tls/ca.pem"


def test_certificates_are_read_with_the_settings_from_their_folder(tmp_path: Path) -> None:
    (tmp_path / "firma.pem").write_text("# Autoridade São\n" + CA.read_text(encoding="ascii"), encoding="utf-8")
    read = load(tmp_path, HEAD + 'certificados = "firma.pem"\n').empresas[0].certificados
    assert read.strip() == CA.read_text(encoding="ascii").strip()
    assert load(tmp_path, HEAD).empresas[0].certificados == ""


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "No such file"),
        (b"", "não há certificado nele"),
        (b"-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n", "não há certificado nele"),
        (b"\x30\x82\x01\x00\xff", "não é um arquivo de texto"),
        (b"x" * 1_000_001, "mais de 1000 kB"),
    ],
)
def test_a_file_without_certificates_is_told(tmp_path: Path, content: bytes | None, told: str) -> None:
    if content is not None:
        (tmp_path / "firma.pem").write_bytes(content)
    (mistake,) = mistakes_of(tmp_path, HEAD + 'certificados = "firma.pem"\n')
    assert "empresa[acme].certificados:" in mistake
    assert told in mistake


def test_a_token_comes_from_its_file_read_anew(tmp_path: Path) -> None:
    file = tmp_path / "segredo"
    settings = load(tmp_path, HEAD.replace('token_env = "ACME_TOKEN"', 'token_file = "segredo"'))
    for token in ("primeira-ficha", "segunda-ficha"):
        file.write_text(f"{token}\n", encoding="utf-8")
        file.chmod(0o600)
        assert read_tokens(settings, settings.empresas, {"ACME_TOKEN": "other"}) == {"acme": token}


@pytest.mark.parametrize(
    ("content", "mode", "told"),
    [
        (None, 0o600, "não pode ser lido (No such file"),
        ("", 0o600, "está vazio"),
        ("\n", 0o600, "está vazio"),
        ("duas fichas", 0o600, "tem espaços"),
        ("uma\nduas", 0o600, "tem espaços ou caracteres de controle"),
        ("a" * 5000, 0o600, "tem mais de 4096 caracteres"),
        ("a" * 2_000_000, 0o600, "não pode ser lido"),
        ("ficha-segura", 0o602, "qualquer usuário desta máquina pode escrever"),
    ],
)
def test_a_file_without_a_token_is_told_and_not_quoted(
    tmp_path: Path, content: str | None, mode: int, told: str
) -> None:
    file = tmp_path / "segredo-7d1f"
    if content is not None:
        file.write_text(content, encoding="utf-8")
        file.chmod(mode)
    settings = load(tmp_path, HEAD.replace('token_env = "ACME_TOKEN"', 'token_file = "segredo-7d1f"'))
    with pytest.raises(ConfigError) as caught:
        read_tokens(settings, settings.empresas, {})
    assert f"empresa[acme].token_file: o arquivo {told}" in str(caught.value)
    assert "7d1f" not in str(caught.value)
    assert not content or content not in str(caught.value)


def test_a_token_beyond_reason_is_told(tmp_path: Path) -> None:
    settings = load(tmp_path, HEAD)
    with pytest.raises(ConfigError, match="tem mais de 4096 caracteres"):
        read_tokens(settings, settings.empresas, {"ACME_TOKEN": "a" * 100_000})


def test_open_doors_are_told(tmp_path: Path) -> None:
    file = tmp_path / "segredo"
    file.write_text("ficha-segura", encoding="utf-8")
    file.chmod(0o644)
    text = HEAD.replace('token_env = "ACME_TOKEN"', 'token_file = "segredo"\npermitir_http = true')
    settings = load(tmp_path, text.replace("https://", "http://"))
    settings.dir.mkdir(mode=0o700)
    notices = find_notices(settings, settings.empresas)
    assert [notice.partition(":")[0] for notice in notices] == [
        "empresa[acme].permitir_http",
        "empresa[acme].token_file",
    ]
    file.chmod(0o600)
    assert find_notices(load(tmp_path, HEAD), settings.empresas[:0]) == []


def test_a_data_folder_that_is_a_file_or_below_one_is_told(tmp_path: Path) -> None:
    file = tmp_path / "dados.csv"
    file.write_text("meu", encoding="utf-8")
    for named in ("dados.csv", "dados.csv/aqui"):
        (mistake,) = mistakes_of(tmp_path, f'dir = "{named}"\n{HEAD}')
        assert mistake.removeprefix(f"{tmp_path / 'lastro.toml'}: ") == f"dir: {file} é um arquivo; escreva uma pasta."
    (tmp_path / "lastro.toml").unlink()
    with pytest.raises(ConfigError, match=f"LASTRO_DIR: {file} é um arquivo"):
        load_settings(None, {"LASTRO_BASE_URL": "http://127.0.0.1:8200", "LASTRO_DIR": "dados.csv"}, tmp_path)
    assert file.read_text(encoding="utf-8") == "meu"


DEEP = "[" * 5000
ODD = {
    "nested brackets": f"x = {DEEP}",
    "nested tables": "x = " + "{a=" * 5000,
    "nested brackets, closed": f"x = {DEEP}{']' * 5000}",
    "a long number": f"{HEAD}limites = {'9' * 5000}",
    "a long hexadecimal number": f"{HEAD}limites = 0x{'f' * 5000}",
    "a company named by a long number": f"[[empresa]]\nid = 0x{'f' * 5000}",
    "an amount beyond belief": f"{HEAD}[empresa.parametros]\nsaldo_minimo = 0x{'f' * 5000}",
    "a percentage beyond belief": f"{HEAD}[empresa.parametros]\nlimite_exclusoes = 0x{'f' * 5000}",
    "an account beyond belief": f"{HEAD}[[empresa.conta]]\nconta_id = 0x{'f' * 5000}",
    "a long key of a map": f'{HEAD}[empresa.parametros]\ndre_mapa = {{ {"9" * 5000} = "fora" }}',
    "a long fraction": f"{HEAD}[empresa.parametros]\nsaldo_minimo = 1.{'9' * 5000}",
    "a long exponent": f"{HEAD}[empresa.parametros]\nlimite_exclusoes = 1e{'9' * 5000}",
    "NUL in dir": f'dir = "a\\u0000b"\n{HEAD}',
    "a line break in dir": f'dir = "a\\nb"\n{HEAD}',
    "a key of many dots": "a" + ".a" * 20_000 + " = 1",
    "a quoted key of many dots": '"a"' + '."a"' * 20_000 + " = 1",
    "a table of many dots": "[a" + " . a" * 20_000 + "]",
    "a megabyte": "#" * 1_000_001,
    "a long chave desconhecida": "a" * 100_000 + " = 1",
    "a date that is none": f"{HEAD}[empresa.parametros]\nfechamento = 2026-02-30",
    "half a surrogate": 'dir = "\\ud800"',
    "NUL": "\x00",
    "half a megabyte of tables": "".join(f"[t{number}]\n" for number in range(55_000)),
    "companies of nothing": "[[empresa]]\n" * 30_000,
    "a company of unknown keys": HEAD + "".join(f"k{number} = 1\n" for number in range(40_000)),
    "chave desconhecidas": "".join(f"k{number} = 1\n" for number in range(40_000)) + HEAD,
    "an account again and again": HEAD + "[[empresa.conta]]\nconta_id = 1\n" * 12_000,
    "companies of one id": HEAD * 4_000,
    "a name of 900 kB": HEAD.replace("Acme Ltda", "x" * 900_000),
}


@pytest.mark.parametrize("odd", ODD)
def test_odd_settings_are_told_in_a_sentence(tmp_path: Path, odd: str) -> None:
    mistakes = mistakes_of(tmp_path, ODD[odd])
    assert all(0 < len(mistake) < 1_000 for mistake in mistakes)
    assert len(mistakes) <= MOST_MISTAKES + 1


def test_of_very_many_mistakes_the_first_are_told_and_the_others_counted(tmp_path: Path) -> None:
    many = HEAD + "".join(f"k{number} = 1\n" for number in range(140))
    mistakes = mistakes_of(tmp_path, many)
    assert load(tmp_path, many + HEAD.replace("acme", "beta")).invalidas == {"acme": mistakes}
    assert "empresa[acme].k99: chave desconhecida" in mistakes[99]
    assert mistakes[100:] == ("E mais 40: corrija estes primeiro.",)


def test_hundreds_of_companies_are_read(tmp_path: Path) -> None:
    accounts = "".join(f"[[empresa.conta]]\nconta_id = {number}\ndescricao = 'Banco'\n" for number in range(1, 12))
    text = "".join(f"{HEAD}{accounts}".replace("acme", f"e{number}") for number in range(400))
    assert len(load(tmp_path, text).empresas) == 400


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/full", "/dev/null", "/dev", "a queue"])
def test_what_is_no_file_is_refused_and_not_waited_for(tmp_path: Path, device: str) -> None:
    path = Path(device)
    if device == "a queue":
        path = tmp_path / "lastro.toml"
        os.mkfifo(path)
    with pytest.raises(ConfigError, match=r"não pode ser lido \((não é um arquivo comum|Is a directory)\)"):
        load_settings(path, {}, Path())
    other = tmp_path / "other.toml"
    other.write_text(f'{HEAD}certificados = "{path}"\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="certificados"):
        load_settings(other, {}, tmp_path)
    other.write_text(HEAD.replace('token_env = "ACME_TOKEN"', f'token_file = "{path}"'), encoding="utf-8")
    settings = load_settings(other, {}, tmp_path)
    with pytest.raises(ConfigError, match="token_file: o arquivo não pode"):
        read_tokens(settings, settings.empresas, {})


def test_many_dots_in_values_are_no_long_key(tmp_path: Path) -> None:
    dates = ", ".join(f'"2026-01-{day:02d}"' for day in range(1, 29))
    amounts = ", ".join(f'{{ data = 2026-01-{day:02d}, valor = "1.{day:02d}" }}' for day in range(1, 29))
    names = '"' + "a. " * 13 + '"'
    load(tmp_path, f"{HEAD}[empresa.parametros]\nferiados_extras = [{dates}]\nformas = {{ 1 = {names} }}\n"
                   f"[[empresa.conta]]\nconta_id = 1\nsaldos_conferidos = [{amounts}]\n")  # fmt: skip


def test_who_is_told_and_what_is_kept(tmp_path: Path) -> None:
    settings = load(tmp_path, HEAD + OPERATION)
    email, webhook = settings.avisos.email, settings.avisos.webhook
    assert email is not None
    assert webhook is not None
    assert (email.porta, email.para) == (587, ("ana@example.com", "caio@example.com"))
    assert email.senha_file == str(tmp_path / "senha")
    (tmp_path / "senha").write_text("abre-te\n", encoding="utf-8")
    assert email.read_password({}) == "abre-te"
    assert webhook.endereco_env == "CHAT"
    assert (settings.avisos.horas_sem_execucao, settings.retencao.paginas_dias) == (30, 10)


def test_the_desks_folder_begins_at_the_settings_file(tmp_path: Path) -> None:
    empresa = load(tmp_path, f'{HEAD}pasta_cobranca = "mesa"\n').empresas[0]
    assert empresa.pasta_cobranca == str(tmp_path / "mesa")
    assert len(mistakes_of(tmp_path, f"{HEAD}pasta_cobranca = 1\n")) == 1


@pytest.mark.parametrize(
    "folder",
    [
        *("", "acme", "acme/privado", "acme/privado/paginas", "acme/exportados", "acme/relatorios/../privado"),
        *("./acme/anexos", "beta/relatorios", "grupo/relatorios", "dagster"),
    ],
)
def test_the_desks_folder_is_none_of_lastros_own(tmp_path: Path, folder: str) -> None:
    other = HEAD.replace('"acme"', '"beta"')
    for path in (f"dados/{folder}", f"{tmp_path}/dados/{folder}"):
        settings = load(tmp_path, f'{HEAD}pasta_cobranca = "{path}"\n{other}')
        assert [empresa.id for empresa in settings.empresas] == ["beta"]
        (mistake,) = settings.invalidas["acme"]
        assert "empresa[acme].pasta_cobranca: fica onde o lastro guarda os próprios arquivos" in mistake


def test_the_entry_folder_is_the_companys_own_or_any_that_is_not_lastros(tmp_path: Path) -> None:
    settings = load(tmp_path, HEAD)
    assert settings.entrada(settings.empresas[0]) == tmp_path / "dados" / "acme" / "entrada"
    for folder in ("extratos", "dados/acme/entrada", "dados/acme/relatorios"):
        settings = load(tmp_path, f'{HEAD}pasta_entrada = "{folder}"\n')
        assert settings.entrada(settings.empresas[0]) == tmp_path / folder


@pytest.mark.parametrize("folder", ["dados/acme/relatorios", "dados/acme/relatorios/mesa", "dados/mesa", "dados2/acme"])
def test_the_desks_folder_may_be_any_other(tmp_path: Path, folder: str) -> None:
    (empresa,) = load(tmp_path, f'{HEAD}pasta_cobranca = "{folder}"\n').empresas
    assert empresa.pasta_cobranca == str(tmp_path / folder)


def test_texts_may_have_lines(tmp_path: Path) -> None:
    text = "Olá, {cliente}.\\n\\nJoão\\u00a0& Cia \\U0001F469\\u200d\\U0001F4BC"
    settings = load(
        tmp_path, f'{HEAD}textos_cobranca = {{ Contato = "{text}" }}\nresponsaveis = ["João\\u00a0& Cia"]\n'
    )
    assert settings.empresas[0].textos_cobranca == {
        "Contato": "Olá, {cliente}.\n\nJoão\u00a0& Cia \U0001f469\u200d\U0001f4bc"
    }
    assert settings.empresas[0].responsaveis == ("João\u00a0& Cia",)
