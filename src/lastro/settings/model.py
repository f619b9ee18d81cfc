"""The settings as frozen values: every parameter once, with its parser, default and meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Final

from lastro.errors import ConfigError
from lastro.settings.addresses import is_unencrypted, parse_base_url, parse_origin
from lastro.settings.operation import Avisos, Retencao
from lastro.settings.parsers import (
    DEFAULT_LIMITES,
    DRE_GRUPOS,
    HORIZONTE,
    MAX_DAYS,
    MAX_MONTHS,
    REGUA,
    EtapaRegua,
    Window,
    parse_boolean,
    parse_choice,
    parse_closing,
    parse_date,
    parse_decimal,
    parse_empresa_id,
    parse_env_name,
    parse_file_name,
    parse_fuso,
    parse_horizonte,
    parse_integer,
    parse_letters,
    parse_limite,
    parse_list_of,
    parse_local,
    parse_map_of,
    parse_money,
    parse_path,
    parse_percent,
    parse_regua,
    parse_short_name,
    parse_table_of,
    parse_text,
    setting,
)

ENTRADA: Final = "entrada"
"""Folder of what people type, in a company's folder."""
PAGAMENTOS: Final = (
    "pessoal", "deducoes", "ir_csll", "administrativas", "custos_variaveis", "comerciais", "financeiro", "outras",
    "fora",
)  # fmt: skip
"""Groups of the DRE in the usual order of paying: what hurts first when it is late, not what the law says; what
partners draw comes last."""
EXPORT_FORMATS: Final = ("parquet", "csv", "csv-excel", "json")
"""What tables are written as; `csv-excel` is what Excel in Brazil opens with a double click."""


@dataclass(frozen=True)
class SaldoConferido:
    """A balance read from a bank statement, at the end of a day (V19)."""

    data: date = setting(parse_date, about="dia do extrato")
    valor: Decimal = setting(parse_money, about="saldo no fim desse dia")


@dataclass(frozen=True)
class Conta:
    """A bank account and its opening balance (S7); the service has no documented account list."""

    conta_id: int = setting(parse_integer(1), about="id da conta no serviço")
    descricao: str = setting(parse_text, "", about="nome a imprimir; vazio toma o do serviço, senão «Conta #id»")
    valor_saldo_inicial: Decimal | None = setting(
        parse_money, None, about="saldo inicial; nenhum quer dizer «variação, não saldo» (S7)"
    )
    data_saldo_inicial: date | None = setting(
        parse_date, None, about="primeiro dia do controle; nenhum conta todos os pagamentos (S7)"
    )
    ativa: bool = setting(parse_boolean, True, about="se ainda está em uso")
    tipo: str = setting(parse_choice("conta", "cartao"), "conta", about="conta bancária ou cartão de crédito")
    extrato: tuple[str, ...] = setting(
        parse_list_of(parse_text),
        (),
        about='como os extratos OFX a chamam: ["banco/conta"], ["conta"] ou, de outro tipo que corrente, '
        '["banco/conta/poupanca"]; ["nenhum"] se não tem banco (S20)',
    )
    saldos_conferidos: tuple[SaldoConferido, ...] = setting(
        lambda value: value, (), about="saldos de extrato com que os livros são conferidos (V19)"
    )


@dataclass(frozen=True)
class Parametros:
    """The parameters of a company (manual: PAR); printed on the sheet Parâmetros."""

    saldo_inicial_lancamentos: tuple[int, ...] = setting(
        parse_list_of(parse_integer(1)), (), about="lançamentos que são saldo inicial de conta (S7)"
    )
    saldo_inicial_categorias: tuple[int, ...] = setting(
        parse_list_of(parse_integer(1)), (), about="categorias cujos lançamentos são saldo inicial de conta (S7)"
    )
    composto_valor_pai: str = setting(
        parse_choice("auto", "parcela", "total"), "auto", about="se o valor do lançamento composto inclui os itens (S2)"
    )
    competencia_nula: str = setting(
        parse_choice("vencimento", "caixa", "excluir"),
        "vencimento",
        about="mês de competência de um lançamento sem data de competência (S4)",
    )
    dre_mapa: dict[int, str] = setting(
        parse_map_of(parse_choice(*DRE_GRUPOS)),
        {},
        about="categoria e seu grupo na DRE; vale o ancestral mapeado mais próximo; `lastro mapa` propõe (R06, S17)",
    )
    dre_mapa_tolerancia_pct: Decimal = setting(
        parse_percent,
        Decimal(0),
        about="% sem grupo até o qual um mapa parcial ainda dá margem e EBITDA (S17)",
        figures=False,
    )
    venc_regra: str = setting(
        parse_choice("corrido", "dia_util"), "corrido", about="vencido por dia corrido ou por dia útil (S8)"
    )
    horizonte: dict[str, int] = setting(
        parse_horizonte,
        HORIZONTE,
        about="até onde vão as projeções, em dias, semanas e meses (R02)",
    )
    historico_meses: int = setting(
        parse_integer(1, MAX_MONTHS), 12, about="meses fechados mostrados antes do atual (R04)", figures=False
    )
    feriados_extras: tuple[date, ...] = setting(parse_list_of(parse_date), (), about="feriados bancários locais (S8)")
    categorias_antecipam: tuple[int, ...] = setting(
        parse_list_of(parse_integer(1)), (), about="categorias que vencem no dia útil anterior, como tributos (S3)"
    )
    multa_pct: dict[str, Decimal] = setting(
        parse_table_of(("receber", "pagar"), parse_decimal, {"receber": Decimal(2), "pagar": Decimal(0)}),
        {"receber": Decimal(2), "pagar": Decimal(0)},
        about="multa em % para as estimativas contratuais (S8)",
        figures=False,
    )
    juros_pct_mes: dict[str, Decimal] = setting(
        parse_table_of(("receber", "pagar"), parse_decimal, {"receber": Decimal(1), "pagar": Decimal(0)}),
        {"receber": Decimal(1), "pagar": Decimal(0)},
        about="juros em % ao mês para as estimativas contratuais (S8)",
        figures=False,
    )
    inadimplencia_dias: int = setting(
        parse_integer(0, MAX_DAYS), 90, about="dias de atraso que contam como inadimplência (R10)"
    )
    regua: tuple[EtapaRegua, ...] = setting(
        parse_regua, REGUA, about="etapas da régua de cobrança por dias de mora (R10)", figures=False
    )
    saldo_minimo: Decimal = setting(
        parse_money, Decimal("0.00"), about="saldo projetado abaixo do qual há alerta (R00)", figures=False
    )
    orcamento_sinal: str = setting(
        parse_choice("auto", "modulo", "com_sinal"),
        "auto",
        about="como orcamento.csv traz despesas: sem sinal (modulo), com sinal, ou achado pelos sinais (R18)",
        figures=False,
    )
    fazer_minimo: Decimal = setting(
        parse_money, Decimal("500.00"), about="menor valor que a capa põe em «Fazer hoje» (R00)", figures=False
    )
    fechamento: date | str | None = setting(
        parse_closing,
        None,
        about="último dia fechado, ou a regra: dia útil do mês seguinte em que um mês se fecha (R14)",
        figures=False,
    )
    fechamento_sem_mapa: bool = setting(
        parse_boolean, False, about="fechar o mês sozinho também sem o mapa da DRE completo (S25)", figures=False
    )
    formas: dict[int, str] = setting(
        parse_map_of(parse_text), {}, about="nomes das formas de pagamento (S11)", figures=False
    )
    centros: dict[int, str] = setting(
        parse_map_of(parse_text), {}, about="nomes dos centros de custo e lucro (S11)", figures=False
    )
    tags: dict[int, str] = setting(parse_map_of(parse_text), {}, about="nomes das tags (S11)", figures=False)
    tipos_documento: dict[int, str] = setting(
        parse_map_of(parse_text), {}, about="nomes dos tipos de documento (S11)", figures=False
    )
    limite_exclusoes: Decimal = setting(
        parse_decimal,
        Decimal(5),
        about="% de linhas ou de valor que uma execução pode retirar sem confirmação (S13)",
        figures=False,
    )
    limite_alteracoes: Decimal = setting(
        parse_decimal,
        Decimal(30),
        about="% do valor dos meses passados que uma execução pode alterar sem confirmação (S13)",
        figures=False,
    )


@dataclass(frozen=True)
class Atraso:
    """A customer that pays everything not yet due so many days later."""

    pessoa_id: int = setting(parse_integer(1), about="cliente que paga mais tarde")
    dias: int = setting(parse_integer(1, MAX_DAYS), about="quantos dias depois do projetado")


@dataclass(frozen=True)
class Queda:
    """A category, with those below it, whose projected amounts shrink."""

    categoria_id: int = setting(parse_integer(1), about="categoria que encolhe, com as abaixo dela")
    percentual: Decimal = setting(parse_percent, about="% que não vem")


@dataclass(frozen=True)
class Avulso:
    """An amount that moves cash once."""

    data: date = setting(parse_date, about="dia em que o caixa se move; antes da data-base não conta")
    valor: Decimal = setting(parse_money, about="valor com sinal: negativo sai")
    descricao: str = setting(parse_text, "", about="o que é")


@dataclass(frozen=True)
class Cenario:
    """What if: an extra column beside the projected balance; the base never changes."""

    nome: str = setting(parse_short_name, about="nome da coluna")
    calote_pct: Decimal | None = setting(
        parse_percent,
        None,
        about="% dos vencidos a receber que nunca vem; nenhum os deixa como na base",
    )
    recuperacao_dias: int = setting(
        parse_integer(0, MAX_DAYS), 30, about="com calote_pct: dias depois da data-base em que vem o resto"
    )
    atrasos: tuple[Atraso, ...] = ()
    quedas: tuple[Queda, ...] = ()
    avulsos: tuple[Avulso, ...] = ()


@dataclass(frozen=True)
class Recorte:
    """A scope: the reports once more, over a part of the entries, in a workbook of their own (DEC10).

    An entry is in scope when it meets every criterion given.
    """

    nome: str = setting(parse_short_name, about="nome da pasta de trabalho do recorte")
    contas: tuple[int, ...] = setting(parse_list_of(parse_integer(1)), (), about="contas")
    centros: tuple[int, ...] = setting(parse_list_of(parse_integer(1)), (), about="centros de custo")
    pessoas: tuple[int, ...] = setting(parse_list_of(parse_integer(1)), (), about="clientes e fornecedores")
    tags: tuple[int, ...] = setting(parse_list_of(parse_integer(1)), (), about="tags, qualquer delas")


@dataclass(frozen=True)
class Empresa:
    """One company: where its service is and what the service does not tell.

    Of `token_env` and `token_file` one is given. Once read, `token_file` is an absolute path, and `certificados` what
    stands in its file.
    """

    id: str = setting(parse_empresa_id, about="dá nome a pasta, partição e arquivo")
    nome: str = setting(parse_text, about="nome a imprimir")
    base_url: str = setting(parse_base_url, about="endereço do serviço, sem /v1")
    token_env: str = setting(parse_env_name, "", about="nome da variável de ambiente que guarda o token")
    limites: tuple[Window, ...] = setting(
        parse_list_of(parse_limite), DEFAULT_LIMITES, about="requisições por janela; [] = sem limite"
    )
    token_file: str = setting(parse_path, "", about="no lugar de token_env: arquivo com o token, lido a cada execução")
    certificados: str = setting(
        parse_path, "", about="arquivo com os certificados (PEM) em que confiar no lugar dos públicos"
    )
    permitir_http: bool = setting(
        parse_boolean, False, about="ler por http:// o serviço de outra máquina, com token e livros sem criptografia"
    )
    dados_pessoais: bool = setting(
        parse_boolean,
        True,
        about="gravar `cobranca` e `pagamentos`, e `dados` com contatos e documentos de pessoas (LGPD)",
    )
    pasta_cobranca: str = setting(
        parse_path, "", about="pasta das mesas, `cobranca` e `pagamentos`; vazia é relatorios da empresa"
    )
    pasta_entrada: str = setting(
        parse_path, "", about="pasta do que se digita (saldos.csv); vazia é `entrada` na pasta da empresa"
    )
    responsaveis: tuple[str, ...] = setting(
        parse_list_of(parse_text), (), about="quem cobra e quem paga: a lista da coluna Responsável das mesas"
    )
    ordem_pagamentos: tuple[str, ...] = setting(
        parse_list_of(parse_choice(*PAGAMENTOS)), PAGAMENTOS, about="grupos da DRE na ordem em que `pagamentos` decide"
    )
    aprovadores: tuple[str, ...] = setting(
        parse_list_of(parse_text), (), about="quem aprova pagamentos: a lista da coluna Aprovado por"
    )
    aprovacao_minima: Decimal | None = setting(
        parse_money, None, about="R$ desde os quais um pagamento decidido só conta aprovado por outra pessoa"
    )
    textos_cobranca: dict[str, str] = setting(
        parse_letters, {}, about="etapa da régua e o texto ao cliente, com {cliente}, {valor} e outros"
    )
    contas: tuple[Conta, ...] = ()
    parametros: Parametros = field(default_factory=Parametros)
    cenarios: tuple[Cenario, ...] = ()
    recortes: tuple[Recorte, ...] = ()

    @property
    def em_claro(self) -> bool:
        """Whether token and books cross a network unencrypted (`permitir_http`)."""
        return is_unencrypted(self.base_url)


@dataclass(frozen=True)
class GrupoTransferencia:
    """What two companies of the group book with each other, named from both sides (`lastro grupo`).

    An entry belongs to a side when it has one of the side's persons (the other company as counterparty) and, where
    categories are given, one of those. Nothing is matched by amount or date: what is not
    named stays in the sum, and what does not agree between the sides is printed as a difference.
    """

    de: str = setting(parse_empresa_id, about="id de uma empresa")
    para: str = setting(parse_empresa_id, about="id da outra empresa")
    de_pessoas: tuple[int, ...] = setting(parse_list_of(parse_integer(1)), (), about="pessoas em `de` que são `para`")
    de_categorias: tuple[int, ...] = setting(
        parse_list_of(parse_integer(1)), (), about="categorias em `de` desses lançamentos"
    )
    para_pessoas: tuple[int, ...] = setting(parse_list_of(parse_integer(1)), (), about="pessoas em `para` que são `de`")
    para_categorias: tuple[int, ...] = setting(
        parse_list_of(parse_integer(1)), (), about="categorias em `para` desses lançamentos"
    )


@dataclass(frozen=True)
class Grupo:
    """How the companies of the file are added up (`lastro grupo`)."""

    nome: str = setting(parse_text, "Grupo", about="nome a imprimir")
    transferencias: tuple[GrupoTransferencia, ...] = ()


@dataclass(frozen=True)
class Settings:
    """Everything a run needs to know that the service does not say.

    Attributes:
        dir: folder of warehouses, workbooks and Dagster's home.
        fuso: zone in which a run's clock becomes a day.
        empresas: the companies that can be run.
        origem: file or environment, for messages.
        grupo: how the companies are added up.
        invalidas: id of a company whose table has mistakes -> those mistakes; they stop that company alone.
        enderecos_ui: other addresses of the UI, behind a proxy with login.
        local: what Dagster's keys begin with, where several machines share one instance; empty for none.
        volume: file that is in `dir` where its volume is mounted; empty where `dir` is a folder of the machine.
        leitores: who may read what is published.
        avisos: who is told of what.
        retencao: what is kept for how long.
    """

    dir: Path = field(metadata={"parse": parse_path, "about": "pasta dos armazéns, das planilhas e do Dagster"})
    fuso: str = field(metadata={"parse": parse_fuso, "about": "fuso em que o relógio de uma execução vira dia"})
    empresas: tuple[Empresa, ...]
    origem: str
    grupo: Grupo = field(default_factory=Grupo)
    invalidas: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    enderecos_ui: tuple[str, ...] = setting(
        parse_list_of(parse_origin), (), about="endereços em que um proxy com login serve a interface"
    )
    local: str = setting(
        parse_local, "", about="com que começam os nomes no Dagster, onde várias máquinas dividem uma instância"
    )
    volume: str = setting(
        parse_file_name, "", about="arquivo que está em `dir` quando o volume está montado; sem ele nada roda"
    )
    leitores: str = setting(
        parse_choice("dono", "grupo"), "dono", about="quem pode ler o que é publicado: o dono, ou também o grupo"
    )
    avisos: Avisos = field(default_factory=Avisos)
    retencao: Retencao = field(default_factory=Retencao)

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of all companies, those with mistakes too."""
        return (*(empresa.id for empresa in self.empresas), *self.invalidas)

    def empresa(self, empresa_id: str) -> Empresa:
        """Return a company by id.

        Raises:
            ConfigError: when there is none, naming the ones there are; when its table has mistakes, naming them.
        """
        for empresa in self.empresas:
            if empresa.id == empresa_id:
                return empresa
        if empresa_id in self.invalidas:
            raise ConfigError(self.invalidas[empresa_id])
        known = ", ".join(self.ids)
        raise ConfigError(f"{self.origem}: não há empresa «{empresa_id}». Há: {known}.")

    def pasta(self, empresa: Empresa) -> Path:
        """Return the folder of a company."""
        return self.dir / empresa.id

    def entrada(self, empresa: Empresa) -> Path:
        """Return the folder of what people type for a company (S23)."""
        return Path(empresa.pasta_entrada or self.pasta(empresa) / ENTRADA)
