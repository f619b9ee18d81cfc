-- What analysts ask as of any day D; always the current run. The reports' rules win where parameters differ from the
-- defaults (manual: Warehouse); `saldo_inicial_ref`, `venc_regra` and `categorias_antecipam` are read
-- from ops.parametros here, so that SQL and sheets agree.
CREATE OR REPLACE MACRO mart.linhas_em(p_data_base) AS TABLE
SELECT l.*,
  coalesce(l.data_pagamento <= p_data_base, false) AS pago,
  coalesce(l.data_pagamento <= p_data_base AND (c.data_saldo_inicial IS NULL OR l.data_pagamento > c.data_saldo_inicial
    OR (l.data_pagamento = c.data_saldo_inicial AND NOT p.fechamento)), false) AS caixa,
  CASE WHEN coalesce(l.data_pagamento <= p_data_base, false) THEN NULL
    WHEN l.data_pagamento > e.data_extracao THEN l.data_pagamento ELSE l.data_vencimento END AS data_prevista
FROM core.linhas l
LEFT JOIN core.contas c ON c.conta_id = l.conta_id
CROSS JOIN (SELECT max(data_extracao) AS data_extracao FROM ops.execucoes
  WHERE execucao_id = (SELECT max(execucao_id) FROM ops.parametros)) e
CROSS JOIN (SELECT coalesce(bool_or(valor_texto = 'fechamento'), false) AS fechamento FROM ops.parametros
  WHERE parametro = 'saldo_inicial_ref' AND execucao_id = (SELECT max(execucao_id) FROM ops.parametros)) p;

CREATE OR REPLACE MACRO mart.titulos_em(p_data_base) AS TABLE
SELECT t.* EXCLUDE (data_prevista, antecipa),
  c.pessoa_id, c.data_competencia_ef,
  t.data_prevista,
  CASE WHEN t.antecipa THEN k.dia_util_anterior ELSE k.proximo_dia_util END AS data_efetiva,
  CASE WHEN r.dia_util AND t.antecipa THEN k.dia_util_anterior WHEN r.dia_util THEN k.proximo_dia_util
    ELSE t.data_ref_corrida END AS data_ref,
  p_data_base - CASE WHEN r.dia_util AND t.antecipa THEN k.dia_util_anterior WHEN r.dia_util THEN k.proximo_dia_util
    ELSE t.data_ref_corrida END AS dias,
  greatest(0, p_data_base - CASE WHEN t.antecipa THEN k.dia_util_anterior ELSE k.proximo_dia_util END) AS dias_mora,
  CASE WHEN t.valor > 0 THEN 'R' WHEN t.valor < 0 THEN 'P' ELSE 'Z' END AS tipo
FROM (
  SELECT titulo_id, min(conta_id) AS conta_id, min(data_vencimento) AS data_vencimento,
    min(data_pagamento) AS data_pagamento, bool_or(pago) AS pago, bool_or(transferencia) AS transferencia,
    bool_and(fora_resultado) AS fora_resultado, sum(valor)::DECIMAL(18,2) AS valor, min(data_prevista) AS data_prevista,
    min(coalesce(data_prevista, data_vencimento)) AS data_ref_corrida,
    -- The carrier's category, from core.titulos: in mode `total` the carrier itself is no linha (S2.7, S3).
    coalesce(titulo_id IN (SELECT titulo_id FROM core.titulos WHERE categoria_id IN (
      SELECT try_cast(unnest(string_split(valor_texto, ', ')) AS BIGINT) FROM ops.parametros
      WHERE parametro = 'categorias_antecipam' AND execucao_id = (SELECT max(execucao_id) FROM ops.parametros))), false)
      AS antecipa
  FROM mart.linhas_em(p_data_base) GROUP BY titulo_id) t
JOIN core.titulos c USING (titulo_id)
LEFT JOIN core.calendario k ON k.data = t.data_ref_corrida
CROSS JOIN (SELECT coalesce(bool_or(valor_texto = 'dia_util'), false) AS dia_util FROM ops.parametros
  WHERE parametro = 'venc_regra' AND execucao_id = (SELECT max(execucao_id) FROM ops.parametros)) r;

CREATE OR REPLACE MACRO mart.saldos_em(p_data_base) AS TABLE
SELECT coalesce(c.conta_id, m.conta_id) AS conta_id, coalesce(c.descricao, 'Sem conta') AS descricao,
  CASE WHEN c.data_saldo_inicial IS NULL OR p_data_base >= c.data_saldo_inicial
    THEN (coalesce(c.valor_saldo_inicial, 0) + coalesce(m.movimento, 0))::DECIMAL(18,2) END AS saldo
FROM core.contas c
-- Full: movements without an account are a row of their own, as on R01, or the sum of the rows would not be the balance.
FULL JOIN (SELECT conta_id, sum(valor) AS movimento FROM mart.linhas_em(p_data_base) WHERE caixa GROUP BY conta_id) m
  ON m.conta_id = c.conta_id;
