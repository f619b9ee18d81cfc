-- What `stack.py` builds, as dbt takes it: each below its name, {name} for another one, {D} for the day of the books.
-- Names that begin with stg_, and pagos and abertos, are views; the others tables, and sheets of the workbook. A run
-- asks for the end of a list twice, so what was asked has some records twice.

-- stg_lancamentos
SELECT DISTINCT ON (id) id, conta_id, categoria_id, pessoa_id, grupo_id, forma_pagamento_id, tipo_documento_id,
  centro_custo_lucro_id, descricao, documento, observacao, periodicidade, numero_repeticao, total_repeticoes,
  lancamento_transferencia_id, lancamento_composto_id, pagamento_automatico, tags, modified::TIMESTAMP AS modified,
  valor::DECIMAL(18, 2) AS valor, data_vencimento::DATE AS vencimento, data_pagamento::DATE AS pagamento,
  coalesce(data_competencia, data_vencimento)::DATE AS competencia FROM livros.lancamentos

-- stg_categorias
WITH RECURSIVE arvore AS (
  SELECT id, descricao, tipo_categoria_id, descricao AS caminho, descricao AS raiz, 1 AS nivel,
    categorias_filhas::JSON AS filhas FROM livros.categorias
  UNION ALL SELECT (f->>'id')::BIGINT, f->>'descricao', (f->>'tipo_categoria_id')::BIGINT,
    caminho || ' > ' || (f->>'descricao'), raiz, nivel + 1, f->'categorias_filhas'
  FROM (SELECT *, unnest(filhas::JSON[]) AS f FROM arvore WHERE json_array_length(filhas) > 0))
SELECT * EXCLUDE (filhas) FROM arvore

-- stg_pessoas
SELECT id, any_value(nome) AS nome, any_value(documento) AS documento, any_value(email) AS email,
  any_value(telefone) AS telefone, bool_or(cliente) AS cliente, bool_or(fornecedor) AS fornecedor FROM (
  SELECT id, nome, documento, email, telefone, cliente, fornecedor FROM livros.clientes UNION ALL BY NAME
  SELECT id, nome, documento, email, telefone, cliente, fornecedor FROM livros.fornecedores) GROUP BY id

-- stg_cobrancas
SELECT DISTINCT ON (id) id, cliente_id, conta_id, status_descricao AS status, lancamento_ids, link_publico,
  valor::DECIMAL(18, 2) AS valor, valor_pago::DECIMAL(18, 2) AS pago, valor_taxa::DECIMAL(18, 2) AS taxa,
  data_vencimento::DATE AS vencimento, data_transferido::DATE AS transferido FROM livros.cobrancas

-- pagos
SELECT * FROM {linhas} WHERE pagamento <= DATE '{D}'

-- abertos
SELECT * FROM {linhas} WHERE pagamento IS NULL OR pagamento > DATE '{D}'

-- linhas
SELECT l.*, c.descricao AS categoria, c.caminho, c.raiz, c.tipo_categoria_id, p.nome AS pessoa,
  greatest(l.valor, 0) AS entrada, least(l.valor, 0) AS saida, date_trunc('month', pagamento)::DATE AS mes_caixa,
  date_trunc('month', l.competencia)::DATE AS mes_competencia, date_diff('day', vencimento, DATE '{D}') AS atraso,
  CASE WHEN atraso <= 0 THEN 'a vencer' WHEN atraso <= 30 THEN '1-30' WHEN atraso <= 60 THEN '31-60'
  WHEN atraso <= 90 THEN '61-90' ELSE '91+' END AS faixa, CASE WHEN pagamento IS NOT NULL THEN 'pago' WHEN
  vencimento < DATE '{D}' THEN 'vencido'
  ELSE 'a vencer' END AS situacao, lancamento_transferencia_id IS NOT NULL AS transferencia
FROM {stg_lancamentos} l LEFT JOIN {stg_categorias} c ON c.id = l.categoria_id
LEFT JOIN {stg_pessoas} p ON p.id = l.pessoa_id ORDER BY l.id

-- calendario
SELECT dia::DATE AS dia, isodow(dia) < 6 AS util, date_trunc('month', dia)::DATE AS mes
FROM generate_series((SELECT min(vencimento) FROM {linhas}), DATE '{D}' + 365, INTERVAL 1 DAY) t(dia)

-- fluxo_diario
SELECT pagamento AS dia, sum(entrada) AS entrada, sum(saida) AS saida, sum(valor) AS valor, sum(sum(valor)) OVER
  (ORDER BY pagamento) AS saldo FROM {pagos} GROUP BY 1 ORDER BY 1

-- fluxo_semanal
SELECT date_trunc('week', pagamento)::DATE AS semana, raiz, sum(valor) AS valor FROM {pagos} GROUP BY ALL ORDER BY ALL

-- fluxo_mensal
SELECT mes_caixa AS mes, caminho, sum(valor) AS valor FROM {pagos} GROUP BY ALL ORDER BY ALL

-- fluxo_total
SELECT mes_caixa AS mes, sum(entrada) AS entrada, sum(saida) AS saida, sum(valor) AS valor, sum(sum(valor)) OVER
  (ORDER BY mes_caixa) AS saldo FROM {pagos} GROUP BY 1 ORDER BY 1

-- fluxo_contas
SELECT mes_caixa AS mes, conta_id, sum(valor) AS valor FROM {pagos} GROUP BY ALL ORDER BY ALL

-- treze_semanas
SELECT date_trunc('week', vencimento)::DATE AS semana, sum(entrada) AS entrada, sum(saida) AS saida, sum(valor) AS
  valor FROM {abertos} WHERE vencimento BETWEEN DATE '{D}' AND DATE '{D}' + 91 GROUP BY ALL ORDER BY 1

-- competencia
SELECT mes_competencia AS mes, caminho, sum(valor) AS valor FROM {linhas} WHERE NOT transferencia GROUP BY ALL ORDER
  BY ALL

-- dre
SELECT mes_competencia AS mes, raiz, tipo_categoria_id, sum(valor) AS valor FROM {linhas} WHERE NOT transferencia
  GROUP BY ALL ORDER BY ALL

-- dre_acumulada
SELECT *, sum(valor) OVER (PARTITION BY raiz, tipo_categoria_id, year(mes) ORDER BY mes) AS acumulado FROM {dre}
  ORDER BY mes, raiz

-- resultado
SELECT mes, sum(valor) AS valor FROM {dre} GROUP BY ALL ORDER BY 1

-- comparativo_mes
SELECT a.mes, a.caminho, a.valor, b.valor AS antes, a.valor - coalesce(b.valor, 0) AS diferenca FROM {competencia} a
  LEFT JOIN {competencia} b ON b.caminho = a.caminho AND b.mes = a.mes - INTERVAL 1 MONTH ORDER BY 1, 2

-- comparativo_ano
SELECT a.mes, a.caminho, a.valor, b.valor AS antes, a.valor - coalesce(b.valor, 0) AS diferenca FROM {competencia} a
  LEFT JOIN {competencia} b ON b.caminho = a.caminho AND b.mes = a.mes - INTERVAL 1 YEAR ORDER BY 1, 2

-- ponte
SELECT caminho, antes, valor, diferenca FROM {comparativo_ano} WHERE mes = date_trunc('month', DATE '{D}') ORDER BY
  abs(diferenca) DESC

-- a_receber
SELECT id, pessoa, descricao, documento, vencimento, atraso, faixa, situacao, valor, caminho, conta_id,
  forma_pagamento_id FROM {abertos} WHERE valor > 0 AND NOT transferencia ORDER BY vencimento, id

-- a_pagar
SELECT id, pessoa, descricao, documento, vencimento, atraso, faixa, situacao, valor, caminho, conta_id,
  forma_pagamento_id FROM {abertos} WHERE valor < 0 AND NOT transferencia ORDER BY vencimento, id

-- faixas_receber
SELECT faixa, count(*) AS titulos, sum(valor) AS valor FROM {a_receber} GROUP BY ALL ORDER BY 1

-- faixas_pagar
SELECT faixa, count(*) AS titulos, sum(valor) AS valor FROM {a_pagar} GROUP BY ALL ORDER BY 1

-- receber_pessoas
SELECT pessoa, faixa, sum(valor) AS valor FROM {a_receber} GROUP BY ALL ORDER BY ALL

-- pagar_pessoas
SELECT pessoa, faixa, sum(valor) AS valor FROM {a_pagar} GROUP BY ALL ORDER BY ALL

-- vencidos
SELECT pessoa, count(*) AS titulos, sum(valor) AS valor, max(atraso) AS atraso FROM {a_receber} WHERE atraso > 0
  GROUP BY ALL ORDER BY valor DESC

-- cobrancas
SELECT b.*, p.nome AS cliente FROM {stg_cobrancas} b LEFT JOIN {stg_pessoas} p ON p.id = b.cliente_id ORDER BY b.id

-- cobranca_titulos
SELECT id AS cobranca_id, unnest(string_split(lancamento_ids, ','))::BIGINT AS titulo_id FROM {stg_cobrancas} WHERE
  lancamento_ids <> '' ORDER BY ALL

-- cobrancas_status
SELECT status, count(*) AS cobrancas, sum(valor) AS valor, sum(pago) AS pago FROM {cobrancas} GROUP BY ALL ORDER BY 1

-- cobrancas_mes
SELECT date_trunc('month', vencimento)::DATE AS mes, status, sum(valor) AS valor, sum(taxa) AS taxa FROM {cobrancas}
  GROUP BY ALL ORDER BY ALL

-- saldos
SELECT conta_id, sum(valor) AS saldo FROM {pagos} GROUP BY ALL ORDER BY 1

-- saldos_diarios
SELECT dia, conta_id, coalesce(sum(valor) OVER (PARTITION BY conta_id ORDER BY dia), 0) AS saldo
FROM (SELECT dia, conta_id, sum(valor) AS valor FROM (SELECT pagamento AS dia, conta_id, valor FROM {pagos} UNION ALL
  SELECT dia, conta_id, 0 FROM {calendario} CROSS JOIN {saldos} WHERE dia <= DATE '{D}') GROUP BY ALL) ORDER BY ALL

-- clientes_abc
SELECT pessoa_id, pessoa, sum(valor) AS valor, sum(sum(valor)) OVER (ORDER BY sum(valor) DESC, pessoa_id) /
  sum(sum(valor)) OVER () AS parte FROM {linhas} WHERE valor > 0 AND NOT transferencia GROUP BY 1, 2 ORDER BY valor
  DESC

-- fornecedores_abc
SELECT pessoa_id, pessoa, sum(valor) AS valor, sum(sum(valor)) OVER (ORDER BY sum(valor), pessoa_id) /
  sum(sum(valor)) OVER () AS parte FROM {linhas} WHERE valor < 0 AND NOT transferencia GROUP BY 1, 2 ORDER BY valor

-- pessoas
SELECT p.*, sum(l.valor) FILTER (l.situacao = 'vencido') AS vencido, sum(l.valor) FILTER (l.situacao = 'a vencer')
  AS a_vencer, max(l.pagamento) AS ultimo FROM {stg_pessoas} p LEFT JOIN {linhas} l ON l.pessoa_id = p.id GROUP BY
  ALL ORDER BY p.id

-- recorrentes
SELECT grupo_id, any_value(descricao) AS descricao, count(*) AS parcelas, sum(valor) AS valor, max(vencimento) AS
  ultima FROM {linhas} WHERE grupo_id IS NOT NULL GROUP BY ALL ORDER BY 1

-- previsto_realizado
SELECT date_trunc('month', vencimento)::DATE AS mes, raiz, sum(valor) AS previsto, sum(valor) FILTER (pagamento IS
  NOT NULL) AS realizado FROM {linhas} GROUP BY ALL ORDER BY ALL

-- qualidade
SELECT 'sem categoria' AS achado, count(*) AS linhas FROM {linhas} WHERE categoria_id IS NULL UNION ALL SELECT 'sem
  pessoa', count(*) FROM {linhas} WHERE pessoa_id IS NULL UNION ALL SELECT 'valor zero', count(*) FROM {linhas}
  WHERE valor = 0 UNION ALL SELECT 'pago no futuro', count(*) FROM {linhas} WHERE pagamento > DATE '{D}'

-- indicadores
SELECT (SELECT sum(saldo) FROM {saldos}) AS saldo, (SELECT sum(valor) FROM {a_receber}) AS a_receber, (SELECT
  sum(valor) FROM {a_pagar}) AS a_pagar, (SELECT sum(valor) FROM {vencidos}) AS vencido
