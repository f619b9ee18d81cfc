"""The settings as frozen values: every parameter once, with its parser, default and meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, time
from decimal import Decimal
from pathlib import Path
from typing import Final

from lastro.errors import ConfigError
from lastro.settings.operation import Avisos, Retencao
from lastro.settings.outside import Delta
from lastro.settings.parse import (
    DEFAULT_LIMITES,
    DRE_GRUPOS,
    HORIZONTE,
    MAX_DAYS,
    MAX_MONTHS,
    REGUA,
    EtapaRegua,
    is_unencrypted,
    parse_abc_cortes,
    parse_base_url,
    parse_boolean,
    parse_choice,
    parse_closing_rule,
    parse_date,
    parse_decimal,
    parse_empresa_id,
    parse_env_name,
    parse_file_name,
    parse_horizonte,
    parse_hour,
    parse_integer,
    parse_letters,
    parse_limite,
    parse_list_of,
    parse_local,
    parse_map_of,
    parse_money,
    parse_origin,
    parse_path,
    parse_percent,
    parse_regua,
    parse_short_name,
    parse_table_of,
    parse_text,
    setting,
)

EXPORT_FORMATS: Final = ("parquet", "csv", "csv-excel", "json")
"""What tables are written as; `csv-excel` is what Excel in Brazil opens with a double click."""


@dataclass(frozen=True)
class SaldoConferido:
    """A balance read from a bank statement, at the end of a day (V19)."""

    data: date = setting(parse_date, about="day of the statement")
    valor: Decimal = setting(parse_money, about="balance at the end of that day")


@dataclass(frozen=True)
class Conta:
    """A bank account and its opening balance (S7); the service has no documented account list."""

    conta_id: int = setting(parse_integer(1), about="id of the account in the service")
    descricao: str = setting(parse_text, "", about="name to print; empty takes the service's, else «Conta #id»")
    valor_saldo_inicial: Decimal | None = setting(
        parse_money, None, about="opening balance; none means «variação, não saldo»"
    )
    data_saldo_inicial: date | None = setting(parse_date, None, about="first day of control; none counts every payment")
    ativa: bool = setting(parse_boolean, True, about="still in use")
    tipo: str = setting(parse_choice("conta", "cartao"), "conta", about="bank account or credit card")
    saldos_conferidos: tuple[SaldoConferido, ...] = setting(
        lambda value: value, (), about="statement balances to hold the books against (V19)"
    )


@dataclass(frozen=True)
class Parametros:
    """The parameters of a company (manual: PAR); printed on the sheet Parâmetros."""

    saldo_inicial_ref: str = setting(
        parse_choice("abertura", "fechamento"),
        "abertura",
        about="opening balance before or after that day's movements (S7)",
    )
    saldo_inicial_lancamentos: tuple[int, ...] = setting(
        parse_list_of(parse_integer(1)), (), about="entries that are opening balances (S7)"
    )
    saldo_inicial_categorias: tuple[int, ...] = setting(
        parse_list_of(parse_integer(1)), (), about="categories whose entries are opening balances (S7)"
    )
    composto_valor_pai: str = setting(
        parse_choice("auto", "parcela", "total"), "auto", about="whether a composite's parent includes its items (S2)"
    )
    competencia_nula: str = setting(
        parse_choice("vencimento", "caixa", "excluir"),
        "vencimento",
        about="competence month of an entry without one (S4)",
    )
    natureza_por: str = setting(
        parse_choice("categoria", "sinal"), "categoria", about="what makes an entry revenue or expense (S5)"
    )
    dre_mapa: dict[int, str] = setting(
        parse_map_of(parse_choice(*DRE_GRUPOS)), {}, about="category -> DRE group; nearest mapped ancestor wins (R06)"
    )
    dre_mapa_tolerancia_pct: Decimal = setting(
        parse_percent,
        Decimal(0),
        about="percent of amounts without a group up to which a partial map still gives margin and EBITDA (S17)",
    )
    venc_regra: str = setting(
        parse_choice("corrido", "dia_util"), "corrido", about="overdue by calendar day or by business day (S8)"
    )
    proj_dia_util: bool = setting(
        parse_boolean, True, about="project on the effective business day, when a bank settles (S4)"
    )
    vencidos_na_projecao: str = setting(
        parse_choice("separado", "data_base", "conservador"),
        "separado",
        about="where overdue items stand in projections (S4)",
    )
    horizonte: dict[str, int] = setting(
        parse_horizonte,
        HORIZONTE,
        about="how far projections reach",
    )
    historico_meses: int = setting(parse_integer(1, MAX_MONTHS), 12, about="closed months shown before the current one")
    feriados_extras: tuple[date, ...] = setting(parse_list_of(parse_date), (), about="local bank holidays (S8)")
    categorias_antecipam: tuple[int, ...] = setting(
        parse_list_of(parse_integer(1)), (), about="categories due on the business day before (taxes, S3)"
    )
    ultimo_dia_util_ano: bool = setting(
        parse_boolean, True, about="the last weekday of December is a business day (S8)"
    )
    multa_pct: dict[str, Decimal] = setting(
        parse_table_of(("receber", "pagar"), parse_decimal, {"receber": Decimal(2), "pagar": Decimal(0)}),
        {"receber": Decimal(2), "pagar": Decimal(0)},
        about="fine in percent, for estimates only (S8)",
    )
    juros_pct_mes: dict[str, Decimal] = setting(
        parse_table_of(("receber", "pagar"), parse_decimal, {"receber": Decimal(1), "pagar": Decimal(0)}),
        {"receber": Decimal(1), "pagar": Decimal(0)},
        about="interest in percent a month, for estimates only (S8)",
    )
    inadimplencia_dias: int = setting(parse_integer(0, MAX_DAYS), 90, about="days late that count as default (R10)")
    janela_prazos_dias: int = setting(parse_integer(1, MAX_DAYS), 90, about="window of PMR and PMP (R12)")
    regua: tuple[EtapaRegua, ...] = setting(parse_regua, REGUA, about="collection ladder by days of mora (R10)")
    lembrete_dias: int = setting(parse_integer(0, MAX_DAYS), 3, about="days of the reminder before the due date (R10)")
    abc_cortes: tuple[Decimal, ...] = setting(
        parse_abc_cortes, (Decimal(80), Decimal(95)), about="cuts of the ABC curve (R12)"
    )
    saldo_minimo: Decimal = setting(parse_money, Decimal("0.00"), about="alert level of projected balances")
    comparativo_dias: str = setting(
        parse_choice("corridos", "uteis"),
        "corridos",
        about="compare with the same days of last year, or up to as many business days (R19)",
    )
    comparativo_base_minima: Decimal = setting(
        parse_money, Decimal("100.00"), about="a base below it gives no percent: «n/s» (R04)"
    )
    fazer_minimo: Decimal = setting(
        parse_money, Decimal("500.00"), about="smallest amount that the cover asks somebody to act on (R00)"
    )
    vencido_cortes: tuple[Decimal, ...] = setting(
        parse_abc_cortes,
        (Decimal(10), Decimal(25)),
        about="percent of what is open that is overdue from which the cover says Atenção and Crítico (R00)",
    )
    data_fechamento: date | None = setting(parse_date, None, about="last closed day (R14)")
    fechamento: str | None = setting(
        parse_closing_rule,
        None,
        about="closing by rule, «dia_util:3»: a month closes on that business day of the next (R14)",
    )
    projetar_infinitos: bool = setting(parse_boolean, False, about="memo rows for endless series (S10)")
    repasse_dias_max: int = setting(
        parse_integer(0, MAX_DAYS), 35, about="longest normal gap between a charge's due date and its entry's (R11)"
    )
    formas: dict[int, str] = setting(parse_map_of(parse_text), {}, about="payment methods: id -> label (S11)")
    centros: dict[int, str] = setting(parse_map_of(parse_text), {}, about="cost centres: id -> label (S11)")
    tags: dict[int, str] = setting(parse_map_of(parse_text), {}, about="tags: id -> label (S11)")
    tipos_documento: dict[int, str] = setting(parse_map_of(parse_text), {}, about="document types: id -> label (S11)")
    tolerancia: Decimal = setting(parse_money, Decimal("0.00"), about="always 0.00: checks of severity erro are exact")
    ordem_categorias: str = setting(
        parse_choice("nome", "valor"), "nome", about="siblings of Fluxo mensal by name, or the largest first (R04)"
    )
    fluxo_por_centro: bool = setting(parse_boolean, False, about="also the sheet Fluxo por centro (R05)")
    limite_exclusoes: Decimal = setting(
        parse_decimal, Decimal(5), about="percent of rows or value that a run may remove without being asked (S13)"
    )
    limite_alteracoes: Decimal = setting(
        parse_decimal, Decimal(30), about="percent of the past's value that a run may change without being asked (S13)"
    )
    listas_observadas: bool = setting(
        parse_boolean,
        True,
        about="probe the account, cost-centre, payment-method, tag and document-type lists once per run",
    )
    anexos: bool = setting(parse_boolean, False, about="read the metadata of attachments")
    baixar_anexos: bool = setting(parse_boolean, False, about="also download the files of attachments")


@dataclass(frozen=True)
class Atraso:
    """A customer that pays everything not yet due so many days later."""

    pessoa_id: int = setting(parse_integer(1), about="customer")
    dias: int = setting(parse_integer(1, MAX_DAYS), about="days later than projected")


@dataclass(frozen=True)
class Queda:
    """A category, with those below it, whose projected amounts shrink."""

    categoria_id: int = setting(parse_integer(1), about="category; those below it shrink too")
    percentual: Decimal = setting(parse_percent, about="percent that does not come")


@dataclass(frozen=True)
class Avulso:
    """An amount that moves cash once."""

    data: date = setting(parse_date, about="day on which it moves; before the data-base it counts for nothing")
    valor: Decimal = setting(parse_money, about="signed amount: negative leaves")
    descricao: str = setting(parse_text, "", about="what it is")


@dataclass(frozen=True)
class Cenario:
    """What if: an extra column beside the projected balance; the base never changes."""

    nome: str = setting(parse_short_name, about="name of the column")
    calote_pct: Decimal | None = setting(
        parse_percent,
        None,
        about="percent of the overdue receivables that never comes; none leaves them as in the base",
    )
    recuperacao_dias: int = setting(
        parse_integer(0, MAX_DAYS), 30, about="with calote_pct: days after the data-base on which the rest comes"
    )
    atrasos: tuple[Atraso, ...] = ()
    quedas: tuple[Queda, ...] = ()
    avulsos: tuple[Avulso, ...] = ()


@dataclass(frozen=True)
class Recorte:
    """A scope: the reports once more, over a part of the entries, in a workbook of their own (DEC10).

    An entry is in scope when it meets every criterion given.
    """

    nome: str = setting(parse_short_name, about="name of the workbook")
    contas: tuple[int, ...] = setting(parse_list_of(parse_integer(1)), (), about="accounts")
    centros: tuple[int, ...] = setting(parse_list_of(parse_integer(1)), (), about="cost centres")
    pessoas: tuple[int, ...] = setting(parse_list_of(parse_integer(1)), (), about="customers and suppliers")
    tags: tuple[int, ...] = setting(parse_list_of(parse_integer(1)), (), about="tags")
    tags_modo: str = setting(parse_choice("alguma", "todas"), "alguma", about="any of the tags, or all of them")


@dataclass(frozen=True)
class Empresa:
    """One company: where its service is and what the service does not tell.

    Of `token_env` and `token_file` one is given. Once read, `token_file` is an absolute path, and `certificados` what
    stands in its file.
    """

    id: str = setting(parse_empresa_id, about="names folder, partition and file")
    nome: str = setting(parse_text, about="name to print")
    base_url: str = setting(parse_base_url, about="address of the service, without /v1")
    token_env: str = setting(parse_env_name, "", about="environment variable that holds the token")
    limites: tuple[str, ...] = setting(
        parse_list_of(parse_limite), DEFAULT_LIMITES, about="requests per window; [] = none"
    )
    token_file: str = setting(
        parse_path, "", about="in the place of token_env: file that holds the token, read at each run"
    )
    certificados: str = setting(
        parse_path, "", about="file with the certificates (PEM) to trust in the place of the public ones"
    )
    permitir_http: bool = setting(
        parse_boolean, False, about="read a service of another machine by http://, token and books unencrypted"
    )
    exportar: tuple[str, ...] = setting(
        parse_list_of(parse_choice(*EXPORT_FORMATS)), (), about="formats in which each run also writes `dados`"
    )
    dados_pessoais: bool = setting(
        parse_boolean, True, about="write `cobranca`, and `dados` with contacts and documents of persons (LGPD)"
    )
    pasta_cobranca: str = setting(
        parse_path, "", about="folder in which the desk works on `cobranca`; empty is relatorios of the company"
    )
    responsaveis: tuple[str, ...] = setting(
        parse_list_of(parse_text), (), about="who collects: the list of the column Responsável"
    )
    textos_cobranca: dict[str, str] = setting(
        parse_letters, {}, about="step of the ladder -> text to a customer, with placeholders"
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

    An entry belongs to a side when its id is listed, or when it has one of the side's persons (the other company as
    counterparty) and, where categories are given too, one of those. Nothing is matched by amount or date: what is not
    named stays in the sum, and what does not agree between the sides is printed as a difference.
    """

    de: str = setting(parse_empresa_id, about="id of one company")
    para: str = setting(parse_empresa_id, about="id of the other company")
    de_pessoas: tuple[int, ...] = setting(parse_list_of(parse_integer(1)), (), about="persons in `de` that are `para`")
    de_categorias: tuple[int, ...] = setting(
        parse_list_of(parse_integer(1)), (), about="categories in `de` for these entries"
    )
    de_lancamentos: tuple[int, ...] = setting(parse_list_of(parse_integer(1)), (), about="entries in `de`, one by one")
    para_pessoas: tuple[int, ...] = setting(
        parse_list_of(parse_integer(1)), (), about="persons in `para` that are `de`"
    )
    para_categorias: tuple[int, ...] = setting(
        parse_list_of(parse_integer(1)), (), about="categories in `para` for them"
    )
    para_lancamentos: tuple[int, ...] = setting(
        parse_list_of(parse_integer(1)), (), about="entries in `para`, one by one"
    )


@dataclass(frozen=True)
class Grupo:
    """How the companies of the file are added up (`lastro grupo`)."""

    nome: str = setting(parse_text, "Grupo", about="name to print")
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
        tentar_ate: hour until which what failed is tried again by itself.
        avisos: who is told of what.
        retencao: what is kept for how long.
        delta: where open tables go after a publication; None writes none.
    """

    dir: Path
    fuso: str
    empresas: tuple[Empresa, ...]
    origem: str
    grupo: Grupo = field(default_factory=Grupo)
    invalidas: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    enderecos_ui: tuple[str, ...] = setting(
        parse_list_of(parse_origin), (), about="addresses under which a proxy with login serves the UI"
    )
    local: str = setting(
        parse_local, "", about="what Dagster's names begin with, where several machines share one instance"
    )
    volume: str = setting(
        parse_file_name, "", about="file that is in `dir` where its volume is mounted; nothing runs without it"
    )
    leitores: str = setting(
        parse_choice("dono", "grupo"), "dono", about="who may read what is published: its owner, or the group too"
    )
    tentar_ate: time = setting(
        parse_hour, time(12), about="until when what failed is tried again by itself, in the zone of fuso"
    )
    avisos: Avisos = field(default_factory=Avisos)
    retencao: Retencao = field(default_factory=Retencao)
    delta: Delta | None = None

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
        raise ConfigError(f"{self.origem}: no company «{empresa_id}». Companies there: {known}.")

    def pasta(self, empresa: Empresa) -> Path:
        """Return the folder of a company."""
        return self.dir / empresa.id
