"""Every table of the warehouse: grain, key, columns (manual: Warehouse)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lastro.schema.columns import COLUMNS, MONEY, ColumnDef


@dataclass(frozen=True)
class TableDef:
    """One table.

    Attributes:
        name: with its schema, `core.linhas`.
        comment: what one row is, with the rule's number.
        key: columns that identify a row.
        columns: names of `COLUMNS`, in order.
        overrides: column -> (type, meaning) where this table means something else by a name.
    """

    name: str
    comment: str
    key: tuple[str, ...]
    columns: tuple[str, ...]
    overrides: Mapping[str, ColumnDef] = field(default_factory=dict)

    def column(self, name: str) -> ColumnDef:
        """Return the definition of one of the table's columns."""
        return self.overrides.get(name) or COLUMNS[name]


def _override(name: str, type_: str, rule: str, meaning: str) -> dict[str, ColumnDef]:
    return {name: ColumnDef(name, type_, rule, meaning)}


_RAW_COLUMNS = ("execucao_id", "extraido_em", "origem", "pagina", "posicao", "payload")
_RAW_ORIGEM = _override("origem", "VARCHAR", "S13", "caminho pedido ao serviço, sem o token")
SCHEMA_VERSION = 3
"""Raise it with any change of a table that a file may already hold; `lastro.warehouse.migrate` says what follows."""
LISTAS = ("lancamentos", "cobrancas", "categorias", "clientes", "fornecedores", "classificacoes", "contas", "detalhes")
"""Lists whose records the warehouse keeps as received; `detalhes` are entries read one by one (V15, S13)."""

_LINHA_CORE = (
    "titulo_id",
    "lancamento_composto_id",
    "lancamento_transferencia_id",
    "grupo_id",
    "numero_repeticao",
    "total_repeticoes",
    "periodicidade",
    "conta_id",
    "categoria_id",
    "centro_custo_lucro_id",
    "forma_pagamento_id",
    "tipo_documento_id",
    "tipo_custo_nivel_producao_id",
    "tipo_custo_apropriacao_produto_id",
    "pessoa_id",
    "descricao",
    "documento",
    "observacao",
    "pedido_id",
    "data_vencimento",
    "data_pagamento",
    "data_competencia",
    "data_competencia_ef",
    "competencia_presumida",
    "valor",
    "natureza",
    "transferencia",
    "fora_resultado",
    "pagamento_automatico",
    "modified",
)

_TABLES = (
    *(
        TableDef(
            f"raw.{lista}",
            f"S13: um registro de /v1/{lista} como recebido na execução corrente (as anteriores ficam em páginas)",
            ("pagina", "posicao", "origem"),
            _RAW_COLUMNS,
            _RAW_ORIGEM,
        )
        for lista in LISTAS
    ),
    TableDef(
        "raw.rejeitados",
        "S13: um registro que não pôde ser lido, guardado com o motivo e o lugar",
        ("lista", "origem", "pagina", "posicao"),
        ("execucao_id", "extraido_em", "lista", "conta_id", "origem", "pagina", "posicao", "payload", "motivo"),
        _RAW_ORIGEM,
    ),
    TableDef(
        "core.linhas",
        "S1: uma linha: o menor valor com uma só categoria",
        ("origem", "linha_id"),
        ("origem", "linha_id", *_LINHA_CORE, "execucao_id"),
    ),
    TableDef(
        "core.titulos",
        "S1: um título: o que se paga ou recebe de uma vez",
        ("titulo_id",),
        (
            "titulo_id",
            "tipo",
            "valor",
            "qtde_linhas",
            "conta_id",
            "pessoa_id",
            "data_vencimento",
            "data_pagamento",
            "data_competencia",
            "data_competencia_ef",
            "competencia_presumida",
            "categoria_id",
            "categorias_distintas",
            "centro_custo_lucro_id",
            "forma_pagamento_id",
            "tipo_documento_id",
            "grupo_id",
            "numero_repeticao",
            "total_repeticoes",
            "periodicidade",
            "lancamento_composto_id",
            "descricao",
            "documento",
            "observacao",
            "pagamento_automatico",
            "bruto",
            "deducoes",
            "transferencia",
            "fora_resultado",
            "modified",
            "execucao_id",
        ),
    ),
    TableDef(
        "core.linha_tags",
        "S11: uma etiqueta de uma linha",
        ("origem", "linha_id", "tag_id"),
        ("origem", "linha_id", "tag_id"),
    ),
    TableDef(
        "core.transferencias",
        "S6: uma perna de transferência e a outra, se houver",
        ("linha_id",),
        (
            "linha_id",
            "lancamento_transferencia_id",
            "conta_id",
            "conta_par_id",
            "data_pagamento",
            "valor",
            "valor_par",
            "situacao",
        ),
        {
            **_override("conta_par_id", "BIGINT", "S6", "conta da outra perna"),
            **_override("valor_par", MONEY, "S6", "valor da outra perna"),
            **_override("situacao", "VARCHAR", "V16", "par ok, ou o que não confere"),
        },
    ),
    TableDef(
        "core.cobrancas",
        "S12: uma cobrança (boleto, cartão, pix)",
        ("cobranca_id",),
        (
            "cobranca_id",
            "status",
            "rank",
            "viva",
            "paga",
            "status_id",
            "status_descricao",
            "valor",
            "valor_taxa",
            "taxa",
            "valor_multa_juros",
            "valor_pago",
            "liquido",
            "percentual_multa",
            "cobrar_juros",
            "permitir_segunda_via",
            "forma_pagamento_id",
            "cliente_id",
            "conta_id",
            "email",
            "data_vencimento",
            "data_a_transferir",
            "data_transferindo",
            "data_transferido",
            "data_cancelamento",
            "data_pagamento",
            "data_pagamento_observada",
            "cobranca_hash",
            "link_publico",
            "lancamento_ids",
            "instrucoes_boleto",
            "execucao_id",
        ),
    ),
    TableDef(
        "core.cobranca_titulos",
        "S12: um título que uma cobrança cobra",
        ("cobranca_id", "titulo_id"),
        ("cobranca_id", "titulo_id"),
    ),
    TableDef(
        "core.cobranca_desconhecidos",
        "V11: um id que uma cobrança cita e que nenhum lançamento tem",
        ("cobranca_id", "lancamento_id"),
        ("cobranca_id", "lancamento_id"),
    ),
    TableDef(
        "core.categorias",
        "S11: uma categoria listada ou citada",
        ("categoria_id",),
        (
            "categoria_id",
            "descricao",
            "tipo_categoria_id",
            "parent_id",
            "ativo",
            "nivel",
            "caminho",
            "ancestrais",
            "dre_grupo",
            "dre_mapeada",
            "fora_resultado",
            "conhecida",
            "tem_filhas",
        ),
    ),
    TableDef(
        "core.pessoas",
        "S11: uma pessoa, cliente, fornecedora ou ambas",
        ("pessoa_id",),
        ("pessoa_id", "nome", "documento", "email", "telefone", "cliente", "fornecedor", "ativo", "conhecida"),
    ),
    TableDef(
        "core.contas",
        "S7: uma conta configurada, listada ou vista",
        ("conta_id",),
        (
            "conta_id",
            "descricao",
            "configurada",
            "data_saldo_inicial",
            "valor_saldo_inicial",
            "tem_saldo_inicial",
            "ativa",
            "tipo",
            "permite_lancamento",
            "provisoria",
        ),
    ),
    TableDef(
        "core.saldos_conferidos",
        "V19: um saldo de extrato bancário escrito na configuração",
        ("conta_id", "dia"),
        ("conta_id", "dia", "valor"),
        _override("valor", MONEY, "V19", "saldo do extrato ao fim do dia"),
    ),
    TableDef(
        "core.formas",
        "S11: o nome de uma forma, centro, etiqueta ou tipo de documento",
        ("dimensao", "id"),
        ("dimensao", "id", "rotulo"),
        {
            **_override("dimensao", "VARCHAR", "S11", "formas, centros, tags ou tipos_documento"),
            **_override("id", "BIGINT", "S11", "id na dimensão"),
        },
    ),
    TableDef(
        "core.calendario",
        "S8: um dia, das datas dos dados até um ano além",
        ("dia",),
        ("dia", "dia_util", "feriado", "proximo_dia_util", "dia_util_anterior", "ano_iso", "semana_iso"),
    ),
    TableDef(
        "ops.armazem",
        "S13: a versão do esquema deste arquivo",
        ("versao",),
        ("versao", "lastro"),
        {
            **_override("versao", "INTEGER", "S13", "versão do esquema"),
            **_override("lastro", "VARCHAR", "S13", "versão do lastro que criou ou migrou o arquivo"),
        },
    ),
    TableDef(
        "ops.execucoes",
        "S13: uma execução",
        ("execucao_id",),
        (
            "execucao_id",
            "tipo_execucao",
            "situacao",
            "data_extracao",
            "data_base",
            "reconstituida",
            "iniciada_em",
            "terminada_em",
            "requisicoes",
            "composto_modo",
            "erro",
            "versao",
            "leitura_id",
            "base_id",
            "dagster_run_id",
            "nota",
        ),
        _override("situacao", "VARCHAR", "S13", "em andamento, completa, parcial ou falhou"),
    ),
    TableDef(
        "ops.etapas",
        "S13: uma etapa que uma execução terminou; o que ela deixou está neste arquivo",
        ("execucao_id", "etapa"),
        ("execucao_id", "etapa", "terminada_em"),
    ),
    TableDef(
        "ops.respostas",
        "S13: o que a leitura direta respondeu de um lançamento que saiu da listagem",
        ("execucao_id", "registro_id"),
        ("execucao_id", "registro_id", "resposta"),
    ),
    TableDef(
        "ops.contas_vistas",
        "S13: uma conta não configurada que a leitura encontrou",
        ("execucao_id", "conta_id"),
        ("execucao_id", "conta_id", "origem", "situacao"),
        {
            **_override("origem", "VARCHAR", "S13", "onde a conta apareceu"),
            **_override("situacao", "VARCHAR", "S13", "lida, ou o que o serviço respondeu à listagem"),
        },
    ),
    TableDef(
        "ops.evidencias",
        "S15: o que a carga notou e uma verificação julga (V14, V15, V21)",
        ("execucao_id", "verificacao"),
        ("execucao_id", "verificacao", "evidencia"),
    ),
    TableDef(
        "ops.retencoes",
        "S13: um registro que uma execução retida mostrou: excluído ou alterado no passado",
        ("execucao_id", "motivo", "lista", "registro_id"),
        ("execucao_id", "motivo", "lista", "registro_id"),
        {
            **_override("motivo", "VARCHAR", "S13", "exclusoes ou alteracoes"),
            **_override("lista", "VARCHAR", "S13", "lancamentos ou cobrancas"),
        },
    ),
    TableDef(
        "ops.identidade",
        "S13: de quem são estes livros: a empresa, o serviço e as contas da última leitura carregada",
        ("empresa",),
        ("empresa", "host", "contas", "execucao_id"),
    ),
    TableDef(
        "ops.passadas",
        "S13: uma leitura de uma listagem e sua prova de completude",
        ("execucao_id", "lista", "conta_id", "passada"),
        (
            "execucao_id",
            "lista",
            "conta_id",
            "passada",
            "contagem_antes",
            "paginas",
            "linhas_recebidas",
            "ids_distintos",
            "repetidas",
            "rejeitadas",
            "contagem_depois",
            "veredito",
            "prova",
            "motivo",
            "requisicoes",
            "iniciada_em",
            "terminada_em",
        ),
    ),
    TableDef(
        "ops.verificacoes",
        "S15: o resultado de uma verificação ou regra de qualidade",
        ("execucao_id", "verificacao"),
        (
            "execucao_id",
            "verificacao",
            "descricao",
            "severidade",
            "situacao",
            "esperado",
            "encontrado",
            "diferenca",
            "registros",
            "chaves",
            "detalhe",
        ),
        _override("situacao", "VARCHAR", "S15", "ok, falhou ou não se aplica"),
    ),
    TableDef(
        "ops.parametros",
        "um parâmetro em vigor na execução (PAR)",
        ("execucao_id", "parametro"),
        ("execucao_id", "parametro", "valor_texto"),
    ),
    TableDef(
        "ops.kpis",
        "R00: um indicador de uma execução",
        ("execucao_id", "kpi"),
        ("execucao_id", "kpi", "indicador", "valor", "unidade"),
        _override("valor", "DECIMAL(24,4)", "R00", "valor do indicador, na unidade"),
    ),
    TableDef(
        "ops.esquema",
        "S13: um campo novo ou ausente nas respostas do serviço",
        ("execucao_id", "lista", "campo"),
        ("execucao_id", "lista", "campo", "situacao", "registros"),
        _override("situacao", "VARCHAR", "S13", "desconhecido ou ausente"),
    ),
)

_CORE = {table.name: table for table in _TABLES}


def _version(name: str, key: tuple[str, ...], *, extra: tuple[str, ...] = ()) -> TableDef:
    """Derive the table of versions of a core table: its columns, then since when and until when they held."""
    core = _CORE[f"core.{name}"]
    columns = tuple(column for column in core.columns if column != "execucao_id")
    return TableDef(
        f"hist.{name}",
        f"S13: uma versão: {core.comment}",
        (*key, "valido_de"),
        (*columns, *extra, "valido_de", "valido_ate", "execucao_id"),
        core.overrides,
    )


_HISTORY = (
    # An item's id may come back in another composite (S2.2), so the título is part of a linha's identity here.
    _version("linhas", ("origem", "linha_id", "titulo_id"), extra=("tags",)),
    *(
        _version(name, _CORE[f"core.{name}"].key)
        for name in (
            "titulos",
            "cobrancas",
            "cobranca_titulos",
            "cobranca_desconhecidos",
            "categorias",
            "pessoas",
            "contas",
            "saldos_conferidos",
            "formas",
        )
    ),
)
VERSIONED = tuple(table.name.removeprefix("hist.") for table in _HISTORY)
"""Core tables whose versions `hist` keeps; the others derive from them."""

_ABSENCES = TableDef(
    "hist.ausencias",
    "S13: o que uma execução soube de um registro que deixou de ser listado; a linha mais nova de um id vale",
    ("lista", "registro_id", "execucao_id"),
    (
        "lista",
        "registro_id",
        "execucao_id",
        "estado",
        "resposta",
        "motivo",
        "conta_id",
        "valor",
        "data_vencimento",
        "valores",
    ),
    _override("motivo", "VARCHAR", "S13", "o que levou ao estado"),
)

_ATTACHMENTS = TableDef(
    "hist.anexos",
    "um anexo de um lançamento, perguntado uma só vez; sem nome quando o serviço não o tem (desligado por padrão)",
    ("anexo_id",),
    (
        "anexo_id",
        "lancamento_id",
        "lancamento_composto_id",
        "filename",
        "content_type",
        "size",
        "sha256",
        "situacao",
        "execucao_id",
    ),
    {
        **_override("anexo_id", "BIGINT", "", "id do anexo"),
        **_override(
            "lancamento_id", "BIGINT", "", "lançamento a que pertence; nulo se é de um composto ou desconhecido"
        ),
        **_override("filename", "VARCHAR", "", "nome do arquivo como recebido; nunca um caminho"),
        **_override("content_type", "VARCHAR", "", "tipo do conteúdo como recebido"),
        **_override("size", "BIGINT", "", "tamanho em bytes como recebido"),
        **_override("sha256", "VARCHAR", "", "resumo do arquivo baixado, seu lugar é anexos/<dois dígitos>/<sha256>"),
        **_override("situacao", "VARCHAR", "", "lido ou ausente"),
    },
)

TABLES: dict[str, TableDef] = {table.name: table for table in (*_TABLES, *_HISTORY, _ABSENCES, _ATTACHMENTS)}
SCHEMAS = {
    "raw": "registros como recebidos do serviço",
    "core": "tabelas tipadas da execução corrente",
    "hist": "versões de todos os registros, desde a primeira execução",
    "mart": "visões dos relatórios e macros para qualquer dia: o que os analistas leem",
    "rel": "tabelas por trás das visões de `mart`",
    "ops": "execuções, provas de completude, verificações, parâmetros e indicadores",
}
