"""The views of `dados`: one statement each, over the tables of `mart` and of the reading, with names beside the ids.

They stand in every file of a company; the workbook `dados` and `lastro exportar` read them there. Does not belong here:
what becomes of their rows (`lastro.warehouse.publication.datasets`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from lastro.schema.derivation import add_key
from lastro.schema.dictionary import read_dictionary
from lastro.warehouse.file.store import Warehouse

_ABERTO: Final = "aberto AS (FROM mart.a_receber UNION ALL BY NAME FROM mart.a_pagar)"


@dataclass(frozen=True)
class Dataset:
    """A view of `dados`.

    Attributes:
        name: of the view; sheet and file have `tbl_` before it.
        comment: what one row is, with the rule's number.
        key: columns that no two rows share; a null equals a null.
        sql: the statement, ordered; as the view, it is of the data-base of the file (`ops.relatorio`).
        joins: which columns lead to which tables.
        day: SQL over its columns that says in which year, or month, a row stands when there are too many for a sheet.
        personal: columns left out with `dados_pessoais = false`.
        meanings: column -> what it holds, where that is not what the dictionary says.
    """

    name: str
    comment: str
    key: tuple[str, ...]
    sql: str
    joins: str = ""
    day: str = ""
    personal: tuple[str, ...] = ()
    meanings: Mapping[str, str] = field(default_factory=dict)

    def explain(self, column: str) -> str:
        """Say what a column holds (pt-BR): what the view says itself, else the dictionary, else ""."""
        said = read_dictionary().get(column)
        return self.meanings.get(column) or (said.comment if said else "")


_OF_ENTRIES: Final = {"categoria": "nome da categoria", "situacao": "situação em D (S3, S8)"}
"""What linhas and títulos mean otherwise."""

DATASETS: Final = (
    Dataset(
        "linhas",
        "S1: uma linha, com rótulos e situação em D",
        ("origem", "linha_id"),
        f"""WITH {_ABERTO}
SELECT l.origem, l.linha_id, l.titulo_id, l.descricao, l.documento, l.valor,
  greatest(l.valor, 0)::DECIMAL(18,2) AS entrada, least(l.valor, 0)::DECIMAL(18,2) AS saida,
  l.natureza, l.classe, l.situacao, o.dias_de_atraso, o.faixa, l.dre_grupo, l.linha_dre,
  l.data_vencimento, l.data_pagamento, l.data_competencia_ef,
  l.competencia_presumida, l.data_caixa, l.data_projetada, l.dia AS data_movimento,
  date_trunc('month', l.data_caixa)::DATE AS mes_caixa,
  date_trunc('month', l.data_competencia_ef)::DATE AS mes_competencia,
  l.conta_id, l.conta, l.categoria_id, coalesce(c.descricao, l.categoria) AS categoria,
  l.categoria AS categoria_caminho, c.nivel_1, c.nivel_2, c.nivel_3, c.nivel_4, l.pessoa_id, l.pessoa,
  l.centro_custo_lucro_id, l.centro, l.forma_pagamento_id, l.forma, l.tipo_documento_id, l.tipo_documento, l.parcela,
  l.periodicidade, l.pagamento_automatico, l.tags, l.observacao, l.lancamento_composto_id,
  l.lancamento_transferencia_id, l.grupo_id, l.pedido_id, l.tipo_custo_nivel_producao_id,
  l.tipo_custo_apropriacao_produto_id, l.modified
FROM mart.lancamentos l LEFT JOIN dados.categorias c USING (categoria_id)
LEFT JOIN aberto o ON o.titulo_id = l.titulo_id ORDER BY l.linha_id, l.origem""",
        joins="titulo_id → tbl_titulos · conta_id → tbl_contas · categoria_id → tbl_categorias · pessoa_id → "
        "tbl_pessoas · datas → tbl_calendario.dia",
        day="data_movimento",
        meanings={
            **_OF_ENTRIES,
            "parcela": "número/total da repetição (S10)",
        },
    ),
    Dataset(
        "titulos",
        "S1: um título, com rótulos e situação em D",
        ("titulo_id",),
        f"""WITH {_ABERTO},
estado AS (SELECT titulo_id, min(situacao) AS situacao FROM mart.lancamentos GROUP BY ALL),
centro AS (SELECT DISTINCT centro_custo_lucro_id, centro FROM mart.lancamentos),
forma AS (SELECT DISTINCT forma_pagamento_id, forma FROM mart.lancamentos)
SELECT t.titulo_id, t.tipo, t.descricao, t.documento, t.valor, greatest(t.valor, 0)::DECIMAL(18,2) AS entrada,
  least(t.valor, 0)::DECIMAL(18,2) AS saida, t.bruto, t.deducoes, coalesce(o.situacao, e.situacao) AS situacao,
  coalesce(t.data_pagamento <= data_base, false) AS pago, o.dias_de_atraso, o.faixa, t.data_vencimento, o.data_efetiva,
  t.data_pagamento, t.data_competencia_ef, date_trunc('month', t.data_competencia_ef)::DATE AS mes_competencia,
  t.competencia_presumida, o.multa_est, o.juros_est, o.valor_atualizado, o.cobranca_id, t.qtde_linhas, t.conta_id,
  coalesce(b.descricao, 'Sem conta') AS conta, t.categoria_id, coalesce(c.descricao, 'Sem categoria') AS categoria,
  c.caminho AS categoria_caminho, c.nivel_1, c.nivel_2, c.nivel_3, c.nivel_4, t.categorias_distintas, t.pessoa_id,
  coalesce(p.nome, 'Sem pessoa') AS pessoa, t.centro_custo_lucro_id, coalesce(centro.centro, 'Sem centro') AS centro,
  t.forma_pagamento_id, coalesce(forma.forma, 'Sem forma') AS forma, t.tipo_documento_id, t.numero_repeticao,
  t.total_repeticoes, t.periodicidade, t.pagamento_automatico, t.transferencia, t.fora_resultado, t.observacao,
  t.grupo_id, t.lancamento_composto_id, t.modified
FROM core.titulos t CROSS JOIN ops.relatorio LEFT JOIN dados.categorias c USING (categoria_id)
LEFT JOIN aberto o ON o.titulo_id = t.titulo_id
LEFT JOIN estado e ON e.titulo_id = t.titulo_id
LEFT JOIN core.contas b ON b.conta_id = t.conta_id LEFT JOIN core.pessoas p ON p.pessoa_id = t.pessoa_id
LEFT JOIN centro ON centro.centro_custo_lucro_id = t.centro_custo_lucro_id
LEFT JOIN forma ON forma.forma_pagamento_id = t.forma_pagamento_id ORDER BY t.titulo_id""",
        joins="conta_id → tbl_contas · categoria_id → tbl_categorias · pessoa_id → tbl_pessoas · cobranca_id → "
        "tbl_cobrancas · muitas cobranças por título: tbl_cobranca_titulos",
        day="coalesce(data_pagamento, data_vencimento)",
        meanings={
            **_OF_ENTRIES,
            "pago": "pago até D (S3)",
            "cobranca_id": "cobrança viva de menor id (S9)",
        },
    ),
    Dataset(
        "cobrancas",
        "S12: uma cobrança",
        ("cobranca_id",),
        """SELECT b.* EXCLUDE (email, execucao_id), coalesce(p.nome, 'Sem pessoa') AS pessoa
FROM core.cobrancas b LEFT JOIN core.pessoas p ON p.pessoa_id = b.pessoa_id ORDER BY b.cobranca_id""",
        joins="pessoa_id → tbl_pessoas · conta_id → tbl_contas · títulos: tbl_cobranca_titulos",
    ),
    Dataset(
        "cobranca_titulos",
        "S12: um título que uma cobrança cobra",
        ("cobranca_id", "titulo_id"),
        "SELECT cobranca_id, titulo_id FROM core.cobranca_titulos ORDER BY ALL",
        joins="cobranca_id → tbl_cobrancas · titulo_id → tbl_titulos",
    ),
    Dataset(
        "pessoas",
        "S11: uma pessoa, cliente, fornecedora ou ambas, com sua posição em D",
        ("pessoa_id",),
        """SELECT p.pessoa_id, p.nome, p.documento, p.email, p.telefone, p.cliente, p.fornecedor, p.classificacao,
  p.ativo, r.classe_abc, r.a_receber_a_vencer, r.a_receber_vencido, r.a_pagar_a_vencer, r.a_pagar_vencido,
  r.ultimo_movimento
FROM core.pessoas p LEFT JOIN mart.pessoas r USING (pessoa_id) ORDER BY p.pessoa_id""",
        joins="pessoa_id ← tbl_linhas, tbl_titulos",
        personal=("documento", "email", "telefone"),
    ),
    Dataset(
        "categorias",
        "S11: uma categoria, com o caminho partido em níveis",
        ("categoria_id",),
        """SELECT c.categoria_id, c.descricao, c.caminho, c.nivel, n1.descricao AS nivel_1, n2.descricao AS nivel_2,
  n3.descricao AS nivel_3, n4.descricao AS nivel_4, c.parent_id, c.tipo_categoria_id, c.ativo, c.dre_grupo,
  c.dre_mapeada, c.fora_resultado, c.conhecida, c.tem_filhas
FROM (SELECT *, list_append(ancestrais, categoria_id) AS trilha FROM core.categorias) c
LEFT JOIN core.categorias n1 ON n1.categoria_id = c.trilha[1]
LEFT JOIN core.categorias n2 ON n2.categoria_id = c.trilha[2]
LEFT JOIN core.categorias n3 ON n3.categoria_id = c.trilha[3]
LEFT JOIN core.categorias n4 ON n4.categoria_id = c.trilha[4] ORDER BY c.categoria_id""",
        joins="categoria_id ← tbl_linhas, tbl_titulos",
    ),
    Dataset(
        "contas",
        "S7: uma conta, com seu saldo em D",
        ("conta_id",),
        """SELECT b.*, s.saldo_em_d FROM core.contas b LEFT JOIN mart.saldos_por_conta s USING (conta_id)
ORDER BY b.conta_id""",
        joins="conta_id ← tbl_linhas, tbl_titulos, tbl_cobrancas, tbl_saldos_diarios",
    ),
    Dataset(
        "calendario",
        "S8: um dia, das datas dos dados até um ano além",
        ("dia",),
        """SELECT dia, year(dia) AS ano, date_trunc('month', dia)::DATE AS mes, quarter(dia) AS trimestre,
  isodow(dia) AS dia_da_semana, dia_util, feriado, proximo_dia_util, dia_util_anterior, ano_iso, semana_iso
FROM core.calendario ORDER BY dia""",
        joins="dia ← qualquer data",
        meanings={
            "dia_da_semana": "1 = segunda .. 7 = domingo",
        },
    ),
    Dataset(
        "saldos_diarios",
        "S7: o saldo realizado de uma conta no fim de um dia, até D e por dez anos no máximo",
        ("conta_id", "dia"),
        """WITH mov AS (SELECT coalesce(conta_id, -1) AS chave, data_caixa AS dia, sum(valor) AS valor
  FROM mart.lancamentos WHERE data_caixa IS NOT NULL GROUP BY ALL),
conta AS (SELECT conta_id AS chave, conta_id, descricao, data_saldo_inicial, valor_saldo_inicial FROM core.contas
  UNION ALL SELECT -1, NULL, 'Sem conta', NULL, 0 WHERE EXISTS (SELECT 1 FROM mov WHERE chave = -1)),
dias AS (SELECT unnest(generate_series(greatest(data_base - 3660, coalesce(least((SELECT min(dia) FROM mov),
  (SELECT min(data_saldo_inicial) FROM conta)), data_base)), data_base, INTERVAL 1 DAY))::DATE AS dia
  FROM ops.relatorio),
soma AS (SELECT chave, dia, mostra, sum(valor) OVER (PARTITION BY chave ORDER BY dia) AS valor
  FROM (SELECT *, false AS mostra FROM mov UNION ALL SELECT chave, dia, 0, true FROM conta CROSS JOIN dias))
SELECT s.dia, c.conta_id, c.descricao AS conta,
  (coalesce(c.valor_saldo_inicial, 0) + s.valor)::DECIMAL(18,2) AS saldo
FROM soma s JOIN conta c USING (chave)
WHERE mostra AND (c.data_saldo_inicial IS NULL OR s.dia >= c.data_saldo_inicial) ORDER BY s.dia, c.conta_id""",
        joins="conta_id → tbl_contas · dia → tbl_calendario",
        day="dia",
        meanings={"saldo": "saldo realizado no fim do dia"},
    ),
    Dataset(
        "kpis",
        "R00: um indicador de uma execução",
        ("execucao_id", "kpi"),
        """SELECT k.execucao_id, e.data_base, k.kpi, k.indicador, k.valor, k.unidade
FROM ops.kpis k JOIN ops.execucoes e USING (execucao_id) ORDER BY k.execucao_id, k.kpi""",
        meanings={"valor": "valor do indicador, na unidade"},
    ),
)
_COLUMNS: Final = """SELECT table_name, column_name FROM duckdb_columns()
WHERE schema_name = 'dados' AND database_name = current_database() ORDER BY table_name, column_index"""


def store_datasets(warehouse: Warehouse) -> None:
    """Store the views, with comments; those that say what these would stay as they are.

    Args:
        warehouse: the private file, inside a transaction, with the tables of `mart`.
    """
    over_others = sorted(DATASETS, key=lambda dataset: "dados." in dataset.sql)
    views = (f"CREATE OR REPLACE VIEW dados.{dataset.name} AS {dataset.sql}" for dataset in over_others)
    if not warehouse.make_once("dados", ";\n".join(views)):
        return
    own = {dataset.name: dataset for dataset in DATASETS}
    warehouse.comment(
        {
            **{f"VIEW dados.{each.name}": add_key(each.comment, each.key) for each in DATASETS},
            **{f'COLUMN dados.{name}."{key}"': own[name].explain(key) for name, key in warehouse.query(_COLUMNS)},
        }
    )
