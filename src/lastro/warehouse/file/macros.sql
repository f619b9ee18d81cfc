-- O que se pergunta para um dia D qualquer; vale sempre a execução atual. Onde os parâmetros não são os de fábrica,
-- valem as regras dos relatórios (manual: Armazém): `venc_regra` e `categorias_antecipam` são lidos de ops.parametros,
-- para que SQL e planilhas concordem. O DuckDB procura tabelas no catálogo de quem pergunta: {desta_empresa} recusa
-- responder com os livros de outro arquivo (lastro.warehouse.file.macros), {ja_lido} num dia que ninguém leu;
-- {execucao} é a que está nas tabelas de agora.
CREATE OR REPLACE MACRO mart.titulos_em(p_data_base) AS TABLE
SELECT t.* EXCLUDE (data_prevista, antecipa, empurrado), c.pessoa_id,
  coalesce(p.pessoa, 'Pessoa #' || c.pessoa_id || ' (não encontrada)', 'Sem pessoa') AS pessoa, c.categoria_id,
  c.centro_custo_lucro_id, c.forma_pagamento_id, c.grupo_id, c.data_competencia_ef,
  t.data_prevista,
  CASE WHEN t.antecipa THEN k.dia_util_anterior ELSE k.proximo_dia_util END AS data_efetiva,
  CASE WHEN r.venc_regra <> 'dia_util' THEN t.data_ref_corrida WHEN t.antecipa THEN k.dia_util_anterior
    ELSE k.proximo_dia_util END AS data_ref,
  p_dia - data_ref AS dias,
  greatest(0, p_dia - coalesce(data_efetiva, p_dia)) AS dias_mora,
  CASE WHEN t.pago THEN NULL WHEN dias <= 0 THEN 'A vencer' WHEN dias <= 30 THEN '1-30' WHEN dias <= 60 THEN '31-60'
    WHEN dias <= 90 THEN '61-90' WHEN dias <= 180 THEN '91-180' WHEN dias > 180 THEN '>180' END AS faixa,
  CASE WHEN t.valor > 0 THEN 'R' WHEN t.valor < 0 THEN 'P' ELSE 'Z' END AS tipo,
  coalesce(NOT t.pago AND NOT t.transferencia AND t.valor <> 0 AND data_ref < p_dia, false) AS vencido,
  CASE WHEN NOT t.pago AND NOT vencido AND NOT (t.empurrado AND t.valor > 0 AND NOT t.transferencia) THEN
    CASE WHEN data_efetiva < p_dia THEN p_dia ELSE data_efetiva END END AS data_projetada
FROM (
  SELECT titulo_id, min(conta_id) AS conta_id, min(data_vencimento) AS data_vencimento,
    min(data_pagamento) AS data_pagamento, bool_or(coalesce(data_pagamento <= p_data_base, false)) AS pago,
    bool_or(transferencia) AS transferencia, bool_and(fora_resultado) AS fora_resultado,
    sum(valor)::DECIMAL(18,2) AS valor,
    min(CASE WHEN coalesce(data_pagamento <= p_data_base, false) THEN NULL
      WHEN data_pagamento > e.data_extracao THEN data_pagamento ELSE data_vencimento END) AS data_prevista,
    min(CASE WHEN data_pagamento > e.data_extracao THEN data_pagamento
      ELSE data_vencimento END) AS data_ref_corrida,
    -- Venceu, e um pagamento em data futura o faria voltar a vencer (Q43).
    bool_or(coalesce(data_pagamento > e.data_extracao AND data_vencimento < p_data_base, false)) AS empurrado,
    -- A categoria do título, de core.titulos: no modo `total` ele próprio não é uma linha (S2.7, S3).
    coalesce(titulo_id IN (SELECT titulo_id FROM core.titulos WHERE categoria_id IN (
      SELECT try_cast(unnest(string_split(valor_texto, ', ')) AS BIGINT) FROM ops.parametros
      WHERE parametro = 'categorias_antecipam' AND execucao_id = {execucao})), false)
      AS antecipa
  FROM core.linhas CROSS JOIN (SELECT max(data_extracao) AS data_extracao FROM ops.execucoes
    WHERE execucao_id = {execucao}) e
  GROUP BY titulo_id) t
JOIN core.titulos c USING (titulo_id)
LEFT JOIN core.calendario k ON k.dia = t.data_ref_corrida
CROSS JOIN (SELECT coalesce(max(valor_texto) FILTER (WHERE parametro = 'venc_regra'), 'corrido') AS venc_regra
  FROM ops.parametros WHERE execucao_id = {execucao}) r
-- Dois nomes que não se distinguem levam o id, como nos relatórios (S11).
LEFT JOIN (SELECT pessoa_id, if(visto <> '' AND count(*) OVER (PARTITION BY visto) > 1,
    trim(nome) || ' (#' || pessoa_id || ')', nome) AS pessoa
  FROM (SELECT *, lower(strip_accents(trim(regexp_replace(nome, '\s+', ' ', 'g')))) AS visto FROM core.pessoas)) p
  ON p.pessoa_id = c.pessoa_id
-- Uma coluna, porque o dia pode ser ele mesmo uma pergunta: mart.titulos_em(mart.data_base()).
CROSS JOIN (SELECT p_data_base AS p_dia) d
WHERE {desta_empresa} AND {ja_lido};

CREATE OR REPLACE MACRO mart.linhas_em(p_data_base) AS TABLE
SELECT l.*,
  coalesce(l.data_pagamento <= p_data_base, false) AS pago,
  coalesce(l.data_pagamento <= p_data_base AND (c.data_saldo_inicial IS NULL
    OR l.data_pagamento >= c.data_saldo_inicial), false) AS caixa,
  CASE WHEN coalesce(l.data_pagamento <= p_data_base, false) THEN NULL
    WHEN l.data_pagamento > e.data_extracao THEN l.data_pagamento ELSE l.data_vencimento END AS data_prevista,
  CASE WHEN NOT coalesce(l.data_pagamento <= p_data_base, false) THEN t.data_projetada END AS data_projetada
FROM core.linhas l
LEFT JOIN core.contas c ON c.conta_id = l.conta_id
LEFT JOIN mart.titulos_em(p_data_base) t ON t.titulo_id = l.titulo_id
CROSS JOIN (SELECT max(data_extracao) AS data_extracao FROM ops.execucoes
  WHERE execucao_id = {execucao}) e
WHERE {desta_empresa} AND {ja_lido};

CREATE OR REPLACE MACRO mart.saldos_entre(p_de, p_ate) AS TABLE
SELECT d.dia, coalesce(c.conta_id, m.conta_id) AS conta_id, coalesce(c.descricao, 'Sem conta') AS conta,
  CASE WHEN c.data_saldo_inicial IS NULL OR d.dia >= c.data_saldo_inicial
    THEN (coalesce(any_value(c.valor_saldo_inicial), 0) + coalesce(sum(m.movimento), 0))::DECIMAL(18,2) END AS saldo,
  coalesce(any_value(c.provisoria), true) AS so_variacao
FROM (SELECT unnest(generate_series(p_de::DATE, CASE WHEN p_ate > (SELECT max(data_extracao) FROM ops.execucoes
      WHERE execucao_id = {execucao})
    THEN error('depois da leitura não há saldo: veja mart.fluxo_diario')::DATE ELSE p_ate::DATE END,
    INTERVAL 1 DAY))::DATE AS dia) d
CROSS JOIN (SELECT conta_id FROM core.contas UNION SELECT conta_id FROM mart.linhas_em(p_ate) WHERE caixa) a
LEFT JOIN core.contas c ON c.conta_id = a.conta_id
-- Movimentos sem conta são uma linha à parte, como em R01; senão a soma das linhas não seria o saldo.
LEFT JOIN (SELECT conta_id, data_pagamento, sum(valor) AS movimento FROM mart.linhas_em(p_ate) WHERE caixa GROUP BY ALL) m
  ON m.conta_id IS NOT DISTINCT FROM a.conta_id AND m.data_pagamento <= d.dia
WHERE {desta_empresa}
GROUP BY d.dia, a.conta_id, c.conta_id, m.conta_id, c.descricao, c.data_saldo_inicial;

CREATE OR REPLACE MACRO mart.saldos_em(p_data_base) AS TABLE
SELECT * EXCLUDE (dia) FROM mart.saldos_entre(p_data_base, p_data_base) WHERE {desta_empresa};

CREATE OR REPLACE MACRO mart.data_base() AS (SELECT max(data_base) FROM ops.relatorio WHERE {desta_empresa});
