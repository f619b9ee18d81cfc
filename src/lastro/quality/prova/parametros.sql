-- Os parâmetros que os cálculos usam (PAR), cada um com seu tipo, ao lado do dia a que os relatórios se referem (S3).
--   mes: primeiro dia do mês da data-base
--   competencia_nula: como está na configuração (S4)
--   vence_em_dia_util: venc_regra = dia_util (S8)
--   historico_meses: meses fechados mostrados
--   horizonte_dias: dias de projeção
--   horizonte_semanas: semanas de projeção
--   horizonte_meses: meses de projeção
--   categorias_antecipam: categorias que vencem no dia útil anterior (S3)
--   categorias_tributos: categorias de tributos, com as abaixo delas (R21)
--   mapa_classifica: dre_mapa tem grupos além de fora (S17)
--   mapeadas: categorias com linha própria em dre_mapa (S17)
--   mapa_tolerancia_pct: dre_mapa_tolerancia_pct (S17)
--   inadimplencia_dias: dias de atraso que fazem inadimplência (R10)
--   fazer_minimo: menor valor que se pede para hoje (R00)
--   multa_receber: multa das estimativas, em % (S8)
--   multa_pagar: multa das estimativas do que se deve, em % (S8)
--   juros_receber: juros das estimativas, em % ao mês (S8)
--   juros_pagar: juros das estimativas do que se deve, em % ao mês (S8)
--   regua: etapas da régua de cobrança, da que nada pede à pior (R10)
--   regua_ate: dias de mora até os quais vale cada etapa da régua, menos a última
WITH texto AS (
  SELECT map(list(parametro), list(valor_texto)) AS valor FROM ops.parametros
  WHERE execucao_id = (SELECT max(execucao_id) FROM ops.parametros))
SELECT data_base, data_extracao, date_trunc('month', data_base)::DATE AS mes,
  valor['competencia_nula'] AS competencia_nula,
  valor['venc_regra'] = 'dia_util' AS vence_em_dia_util,
  valor['historico_meses']::BIGINT AS historico_meses,
  regexp_extract(valor['horizonte'], 'dias = (\d+)', 1)::INTEGER AS horizonte_dias,
  regexp_extract(valor['horizonte'], 'semanas = (\d+)', 1)::INTEGER AS horizonte_semanas,
  regexp_extract(valor['horizonte'], 'meses = (\d+)', 1)::INTEGER AS horizonte_meses,
  list_transform(regexp_extract_all(valor['categorias_antecipam'], '\d+'), lambda x: x::BIGINT) AS categorias_antecipam,
  list_transform(regexp_extract_all(valor['categorias_tributos'], '\d+'), lambda x: x::BIGINT) AS categorias_tributos,
  len(list_filter(regexp_extract_all(valor['dre_mapa'], '= (\w+)', 1), lambda x: x <> 'fora')) > 0 AS mapa_classifica,
  regexp_extract_all(valor['dre_mapa'], '(\d+) =', 1)::BIGINT[] AS mapeadas,
  valor['dre_mapa_tolerancia_pct']::DECIMAL(9,4) AS mapa_tolerancia_pct,
  valor['inadimplencia_dias']::BIGINT AS inadimplencia_dias,
  valor['fazer_minimo']::DECIMAL(18,2) AS fazer_minimo,
  regexp_extract(valor['multa_pct'], 'receber = ([\d.]+)', 1)::DECIMAL(18,6) AS multa_receber,
  regexp_extract(valor['multa_pct'], 'pagar = ([\d.]+)', 1)::DECIMAL(18,6) AS multa_pagar,
  regexp_extract(valor['juros_pct_mes'], 'receber = ([\d.]+)', 1)::DECIMAL(18,6) AS juros_receber,
  regexp_extract(valor['juros_pct_mes'], 'pagar = ([\d.]+)', 1)::DECIMAL(18,6) AS juros_pagar,
  list_concat(['', 'Dar baixa', 'Lembrete'], regexp_extract_all(valor['regua'], '(.+?) até \d+, ', 1),
    [regexp_replace(valor['regua'], '^(.+? até \d+, )*', '')]) AS regua,
  regexp_extract_all(valor['regua'], ' até (\d+), ', 1)::BIGINT[] AS regua_ate
FROM ops.relatorio CROSS JOIN texto
