"""The settings as frozen values: every parameter once, with its parser, default and meaning."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Final, Literal

from lastro.errors import ConfigError
from lastro.folding import fold_person, slug
from lastro.settings.addresses import is_unencrypted, parse_base_url, parse_origin
from lastro.settings.bank_keys import find_key_mistakes
from lastro.settings.files import read_certificates
from lastro.settings.ladder import DAR_BAIXA, LEMBRETE, REGUA, EtapaRegua, parse_letters, parse_regua
from lastro.settings.operation import Avisos, EnvName, File, Retencao
from lastro.settings.parsers import (
    DEFAULT_LIMITES,
    DRE_GRUPOS,
    HORIZONTE,
    MAX_CENARIOS,
    MAX_MONTHS,
    Placed,
    Window,
    count_given,
    parse_choice,
    parse_closing,
    parse_decimal,
    parse_empresa_id,
    parse_file_name,
    parse_fuso,
    parse_horizonte,
    parse_integer,
    parse_limite,
    parse_local,
    parse_table_of,
    setting,
    tables,
)
from lastro.settings.scenarios import Cenario, Days, Percent, Recorte, find_twice

DEFAULT_DIR: Final = "dados"
DEFAULT_FUSO: Final = "America/Sao_Paulo"
ENTRADA: Final = "entrada"
"""Folder of what people type, in a company's folder."""
PAGAMENTOS: Final = (
    "pessoal", "deducoes", "ir_csll", "administrativas", "custos_variaveis", "comerciais", "financeiro", "outras",
    "divida", "fora",
)  # fmt: skip
"""Groups of the DRE in the usual order of paying: what hurts first when it is late, not what the law says; what
partners draw comes last."""
EXPORT_FORMATS: Final = ("parquet", "csv", "csv-excel", "json")
"""What tables are written as; `csv-excel` is what Excel in Brazil opens with a double click."""
IN_CLEAR: Final = (
    "token e livros passariam pela rede sem criptografia; escreva https://, ou permitir_http = true ao lado"
)
MULTA: Final = {"receber": Decimal(2), "pagar": Decimal(0)}
JUROS: Final = {"receber": Decimal(1), "pagar": Decimal(0)}
Factor = Annotated[Decimal, parse_decimal]
EmpresaId = Annotated[str, parse_empresa_id]
Folder = Annotated[str, Placed(os.path.normpath)]


@dataclass(frozen=True)
class SaldoConferido:
    """A balance read from a bank statement, at the end of a day (V19)."""

    data: date = setting(about="dia do extrato")
    valor: Decimal = setting(about="saldo no fim desse dia")


@dataclass(frozen=True)
class Conta:
    """A bank account and its opening balance (S7); the service has no documented account list."""

    conta_id: int = setting(about="id da conta no serviço")
    descricao: str = setting("", about="nome a imprimir; vazio toma o do serviço, senão «Conta #id»")
    valor_saldo_inicial: Decimal | None = setting(
        None, about="saldo inicial; nenhum quer dizer «variação, não saldo» (S7)"
    )
    data_saldo_inicial: date | None = setting(
        None, about="primeiro dia do controle; nenhum conta todos os pagamentos (S7)"
    )
    ativa: bool = setting(True, about="se ainda está em uso")
    tipo: Literal["conta", "cartao"] = setting("conta", about="conta bancária ou cartão de crédito")
    limite: Decimal | None = setting(
        None, about="o que o banco empresta na conta: vereditos o somam ao saldo; não há em cartão (S27)"
    )
    extrato: tuple[str, ...] = setting(
        (),
        about='como os extratos OFX a chamam: ["banco/conta"], ["conta"] ou, de outro tipo que corrente, '
        '["banco/conta/poupanca"]; ["arquivo:nubank*"] para arquivos sem conta; ["nenhum"] se não tem banco '
        "(S20)",
    )
    saldos_conferidos: tuple[SaldoConferido, ...] = setting(
        (), about="saldos de extrato com que os livros são conferidos (V19)"
    )

    def check(self, _told: Collection[str]) -> Iterator[tuple[str, str]]:
        """Yield why the account cannot have its limit (S27)."""
        if self.limite is not None and self.tipo == "cartao":
            yield "limite", "o limite de um cartão não é dinheiro da conta; apague limite, ou tipo se não é cartão"
        elif self.limite is not None and self.limite < 0:
            yield "limite", "escreva quanto o banco empresta, sem sinal"


@dataclass(frozen=True)
class Parametros:
    """The parameters of a company (manual: PAR); printed on the sheet Parâmetros."""

    saldo_inicial_lancamentos: tuple[int, ...] = setting((), about="lançamentos que são saldo inicial de conta (S7)")
    saldo_inicial_categorias: tuple[int, ...] = setting(
        (), about="categorias cujos lançamentos são saldo inicial de conta (S7)"
    )
    composto_valor_pai: Literal["auto", "parcela", "total"] = setting(
        "auto", about="se o valor do lançamento composto inclui os itens (S2)"
    )
    competencia_nula: Literal["vencimento", "caixa", "excluir"] = setting(
        "vencimento",
        about="mês de competência de um lançamento sem data de competência (S4)",
    )
    dre_mapa: dict[int, Annotated[str, parse_choice(*DRE_GRUPOS)]] = setting(
        {},
        about="categoria e seu grupo na DRE; vale o ancestral mapeado mais próximo; `lastro mapa` propõe (R06, S17); "
        "`divida` está fora do resultado como `fora`, e diz que o que se deve é dívida",
    )
    dre_mapa_tolerancia_pct: Percent = setting(
        Decimal(0),
        about="% sem grupo até o qual um mapa parcial ainda dá margem e EBITDA (S17)",
        figures=False,
    )
    venc_regra: Literal["corrido", "dia_util"] = setting(
        "corrido", about="vencido por dia corrido ou por dia útil (S8)"
    )
    horizonte: Annotated[dict[str, int], parse_horizonte] = setting(
        HORIZONTE,
        about="até onde vão as projeções, em dias, semanas e meses (R02)",
    )
    historico_meses: Annotated[int, parse_integer(1, MAX_MONTHS)] = setting(
        12, about="meses fechados mostrados antes do atual (R04)", figures=False
    )
    feriados_extras: tuple[date, ...] = setting((), about="feriados bancários locais (S8)")
    categorias_antecipam: tuple[int, ...] = setting(
        (), about="categorias que vencem no dia útil anterior, como tributos (S3)"
    )
    multa_pct: Annotated[dict[str, Decimal], parse_table_of(MULTA, parse_decimal)] = setting(
        MULTA,
        about="multa em % para as estimativas contratuais (S8)",
        figures=False,
    )
    juros_pct_mes: Annotated[dict[str, Decimal], parse_table_of(JUROS, parse_decimal)] = setting(
        JUROS,
        about="juros em % ao mês para as estimativas contratuais (S8)",
        figures=False,
    )
    categorias_tributos: tuple[int, ...] = setting(
        (), about="categorias de tributos, com as abaixo delas, além das que o nome ou o mapa diz (R21)", figures=False
    )
    juros_tributos_pct_mes: Annotated[Decimal, parse_decimal] = setting(
        Decimal(1), about="juros em % ao mês para estimar o atraso de tributos (R21)", figures=False
    )
    inadimplencia_dias: Days = setting(90, about="dias de atraso que contam como inadimplência (R10)")
    regua: Annotated[tuple[EtapaRegua, ...], parse_regua] = setting(
        REGUA, about="etapas da régua de cobrança por dias de mora (R10)", figures=False
    )
    saldo_minimo: Decimal = setting(
        Decimal("0.00"), about="saldo projetado abaixo do qual há alerta (R00)", figures=False
    )
    fazer_minimo: Decimal = setting(
        Decimal("500.00"), about="menor valor que a capa põe em «Fazer hoje» (R00)", figures=False
    )
    fechamento: Annotated[date | str, parse_closing] | None = setting(
        None,
        about="último dia fechado, ou a regra: dia útil do mês seguinte em que um mês se fecha (R14)",
        figures=False,
    )
    fechamento_sem_mapa: bool = setting(
        False, about="fechar o mês sozinho também sem o mapa da DRE completo (S25)", figures=False
    )
    formas_sem_cobranca: tuple[int, ...] = setting(
        (),
        about="formas que uma adquirente liquida em lotes: ninguém cobra os títulos delas; `lastro mapa` propõe (S12)",
    )
    pessoas_sem_cobranca: tuple[int, ...] = setting(
        (), about="pessoas que liquidam em lotes, como adquirentes: não se cobram; `lastro mapa` propõe (S12)"
    )
    formas: dict[int, str] = setting({}, about="nomes das formas de pagamento (S11)", figures=False)
    centros: dict[int, str] = setting({}, about="nomes dos centros de custo e lucro (S11)", figures=False)
    tags: dict[int, str] = setting({}, about="nomes das tags (S11)", figures=False)
    tipos_documento: dict[int, str] = setting({}, about="nomes dos tipos de documento (S11)", figures=False)
    limite_exclusoes: Factor = setting(
        Decimal(5),
        about="% de linhas ou de valor que uma execução pode retirar sem confirmação (S13)",
        figures=False,
    )
    limite_alteracoes: Factor = setting(
        Decimal(30),
        about="% do valor dos meses passados que uma execução pode alterar sem confirmação (S13)",
        figures=False,
    )


@dataclass(frozen=True)
class Empresa:
    """One company: where its service is and what the service does not tell.

    Of `token_env` and `token_file` one is given. Once read, `token_file` is an absolute path, and `certificados` what
    stands in its file.
    """

    id: EmpresaId = setting(about="dá nome a pasta, partição e arquivo")
    nome: str = setting(about="nome a imprimir")
    base_url: Annotated[str, parse_base_url] = setting(about="endereço do serviço, sem /v1")
    token_env: EnvName = setting("", about="nome da variável de ambiente que guarda o token")
    limites: tuple[Annotated[Window, parse_limite], ...] = setting(
        DEFAULT_LIMITES, about="requisições por janela; [] = sem limite"
    )
    token_file: File = setting("", about="no lugar de token_env: arquivo com o token, lido a cada execução")
    certificados: Annotated[str, Placed(read_certificates)] = setting(
        "", about="arquivo com os certificados (PEM) em que confiar no lugar dos públicos"
    )
    permitir_http: bool = setting(
        False, about="ler por http:// o serviço de outra máquina, com token e livros sem criptografia"
    )
    dados_pessoais: bool = setting(
        True,
        about="gravar `cobranca` e `pagamentos`, e `dados` com contatos e documentos de pessoas (LGPD)",
    )
    pasta_cobranca: Folder = setting(
        "", about="pasta das mesas, `cobranca` e `pagamentos`; vazia é relatorios da empresa"
    )
    pasta_entrada: Folder = setting(
        "", about="pasta do que se digita (saldos.csv); vazia é `entrada` na pasta da empresa"
    )
    responsaveis: tuple[str, ...] = setting((), about="quem cobra e quem paga: a lista da coluna Responsável das mesas")
    ordem_pagamentos: tuple[Annotated[str, parse_choice(*PAGAMENTOS)], ...] = setting(
        PAGAMENTOS, about="grupos da DRE na ordem em que `pagamentos` decide"
    )
    aprovadores: tuple[str, ...] = setting((), about="quem aprova pagamentos: a lista da coluna Aprovado por")
    aprovacao_minima: Decimal | None = setting(
        None, about="R$ desde os quais o que se decide pagar a alguém num dia só conta aprovado por outra pessoa"
    )
    textos_cobranca: Annotated[dict[str, str], parse_letters] = setting(
        {}, about="etapa da régua e o texto ao cliente, com {cliente}, {valor} e outros"
    )
    contas: tuple[Conta, ...] = tables(key="conta", by="conta_id")
    parametros: Parametros = tables(Parametros)
    cenarios: tuple[Cenario, ...] = tables(key="cenario", by="nome")
    recortes: tuple[Recorte, ...] = tables(key="recorte", by="nome")

    @property
    def em_claro(self) -> bool:
        """Whether token and books cross a network unencrypted (`permitir_http`)."""
        return is_unencrypted(self.base_url)

    def check(self, told: Collection[str]) -> Iterator[tuple[str, str]]:
        """Yield what does not go together: access, accounts, approvals, texts, names."""
        yield from self._check_access(told)
        for twice in find_twice(conta.conta_id for conta in self.contas):
            yield "conta.conta_id", f"{twice} aparece duas vezes; liste cada conta uma vez"
        for conta_id, mistake in find_key_mistakes((conta.conta_id, conta.extrato) for conta in self.contas):
            yield f"conta[{conta_id}].extrato", mistake
        yield from self._check_approval()
        steps = (LEMBRETE, *(step.nome for step in self.parametros.regua), DAR_BAIXA)
        for name in self.textos_cobranca:
            if name not in steps:
                yield "textos_cobranca", f"não há etapa «{name}»; as etapas são {', '.join(steps)}"
        if len(self.cenarios) > MAX_CENARIOS:
            yield "cenario", f"{len(self.cenarios)} cenários; no máximo {MAX_CENARIOS} se leem lado a lado"
        yield from _find_one_name(self.cenarios, "cenario", "cenário")
        yield from _find_one_name(self.recortes, "recorte", "recorte")

    def _check_access(self, told: Collection[str]) -> Iterator[tuple[str, str]]:
        given = count_given(self, told, "token_env", "token_file")
        if given == 2:
            yield "token_env", "token_file também foi dado; fique com um dos dois"
        elif not given:
            yield "token_env", "falta; a variável de ambiente que guarda o token, ou token_file"
        if self.base_url and self.em_claro and not self.permitir_http:
            yield "base_url", IN_CLEAR

    def _check_approval(self) -> Iterator[tuple[str, str]]:
        """Yield an approval that nobody can give, and names by which two people are not told apart."""
        if self.aprovacao_minima is None:
            return
        if self.aprovacao_minima < 0:
            yield "aprovacao_minima", "é menor que 0; escreva 0 (todo pagamento) ou mais, ou tire a chave"
        if not self.aprovadores:
            yield "aprovacao_minima", "sem aprovadores ninguém pode aprovar; liste quem aprova em aprovadores"
        for key, names in (("aprovadores", self.aprovadores), ("responsaveis", self.responsaveis)):
            nobody = [name for name in names if not fold_person(name)]
            if nobody:
                yield key, f"«{nobody[0]}» não é um nome em letras latinas; escreva o nome da pessoa"


def _find_one_name(parts: Sequence[Cenario | Recorte], key: str, what: str) -> Iterator[tuple[str, str]]:
    """Yield those of equal names, however they are written."""
    seen: dict[str, str] = {}
    for part in parts:
        called = slug(part.nome or "")
        if called in seen:
            yield f"{key}[{part.nome}].nome", f"lê-se como «{seen[called]}»; cada {what} precisa de um nome só seu"
        if called:
            seen[called] = part.nome


@dataclass(frozen=True)
class GrupoTransferencia:
    """What two companies of the group book with each other, named from both sides (`lastro grupo`).

    An entry belongs to a side when it has one of the side's persons (the other company as counterparty) and, where
    categories are given, one of those. Nothing is matched by amount or date: what is not
    named stays in the sum, and what does not agree between the sides is printed as a difference.
    """

    de: EmpresaId = setting(about="id de uma empresa")
    para: EmpresaId = setting(about="id da outra empresa")
    de_pessoas: tuple[int, ...] = setting((), about="pessoas em `de` que são `para`")
    de_categorias: tuple[int, ...] = setting((), about="categorias em `de` desses lançamentos")
    para_pessoas: tuple[int, ...] = setting((), about="pessoas em `para` que são `de`")
    para_categorias: tuple[int, ...] = setting((), about="categorias em `para` desses lançamentos")

    def check(self, told: Collection[str]) -> Iterator[tuple[str, str]]:
        """Yield a side that names no entries, and two sides of one company."""
        for side in ("de", "para"):
            if not count_given(self, told, f"{side}_pessoas", f"{side}_categorias"):
                yield f"{side}_pessoas", f"nada nomeia os lançamentos em {side}; acrescente pessoas ou categorias"
        if self.de is not None and self.de == self.para:
            yield "para", "a mesma empresa; transferências dentro de uma empresa o serviço já conhece"


@dataclass(frozen=True)
class Grupo:
    """How the companies of the file are added up (`lastro grupo`)."""

    nome: str = setting("Grupo", about="nome a imprimir")
    transferencias: tuple[GrupoTransferencia, ...] = tables(key="transferencia")


@dataclass(frozen=True)
class Excel:
    """Which workbooks a run writes where it need not."""

    dados: bool = setting(
        True, about="gravar a planilha `dados`; sem ela, o mesmo está nas visões `dados.*` e em `lastro exportar`"
    )


@dataclass(frozen=True)
class Settings:
    """Everything a run needs to know that the service does not say; each key says itself what it is.

    Attributes:
        empresas: the companies that can be run.
        origem: file or environment, for messages.
        invalidas: id of a company whose table has mistakes -> those mistakes; they stop that company alone.
    """

    dir: Annotated[Path, Placed(Path)] = setting(
        Path(DEFAULT_DIR), about="pasta dos armazéns, das planilhas e do Dagster"
    )
    fuso: Annotated[str, parse_fuso] = setting(DEFAULT_FUSO, about="fuso em que o relógio de uma execução vira dia")
    empresas: tuple[Empresa, ...] = tables(key="empresa", by="id")
    origem: str = ""
    grupo: Grupo = tables(Grupo)
    invalidas: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    enderecos_ui: tuple[Annotated[str, parse_origin], ...] = setting(
        (), about="endereços em que um proxy com login serve a interface"
    )
    local: Annotated[str, parse_local] = setting(
        "", about="com que começam os nomes no Dagster, onde várias máquinas dividem uma instância"
    )
    volume: Annotated[str, parse_file_name] = setting(
        "", about="arquivo que está em `dir` quando o volume está montado; sem ele nada roda"
    )
    leitores: Literal["dono", "grupo"] = setting(
        "dono", about="quem pode ler o que é publicado: o dono, ou também o grupo"
    )
    avisos: Avisos = tables(Avisos)
    retencao: Retencao = tables(Retencao)
    excel: Excel = tables(Excel)

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
