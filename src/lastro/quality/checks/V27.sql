-- V27 · O que explica a variação do ano = variação do resultado; mês fechado = DRE e Fluxo mensal
-- Severidade: erro
-- Relatório: R19
-- Sem comparações: sem base: menos de 13 meses de dados
-- Por que importa: quem explica o ano pelas categorias precisa que elas somem a variação que se vê no resultado.
-- O que fazer: veja o par que difere: mês fechado, doze meses, mês ou ano até a data-base; relate-o.

-- Os dois lados de cada par, somados de novo das linhas pela competência (S4).
WITH dias AS (
  SELECT p.data_base AS d, p.mes, p.mes - to_months(12) AS ha_um_ano,
    least((p.mes - to_months(12))::DATE + day(p.data_base)::INTEGER - 1, last_day((p.mes - to_months(12))::DATE))
      AS ate_la
  FROM prova.parametros p),
lados AS (
  SELECT 'mes_fechado' AS par, 'A' AS lado, (mes - to_months(1))::DATE AS de, mes - 1 AS ate FROM dias
  UNION ALL SELECT 'mes_fechado', 'B', (mes - to_months(13))::DATE, ha_um_ano::DATE - 1 FROM dias
  UNION ALL SELECT 'doze_fechados', 'A', ha_um_ano::DATE, mes - 1 FROM dias
  UNION ALL SELECT 'doze_fechados', 'B', (mes - to_months(24))::DATE, ha_um_ano::DATE - 1 FROM dias
  UNION ALL SELECT 'mes_ate_d', 'A', mes, d FROM dias
  UNION ALL SELECT 'mes_ate_d', 'B', ha_um_ano::DATE, ate_la FROM dias
  UNION ALL SELECT 'ano_ate_d', 'A', date_trunc('year', d)::DATE, d FROM dias
  UNION ALL SELECT 'ano_ate_d', 'B', date_trunc('year', ha_um_ano)::DATE, ate_la FROM dias),
somados AS (
  SELECT s.par, s.lado, sum(l.valor) AS valor FROM lados s
  JOIN prova.linhas l ON l.data_competencia_ef BETWEEN s.de AND s.ate
    AND NOT l.transferencia AND NOT l.fora_resultado GROUP BY ALL)
SELECT r.par || ' · resultado ' || s.lado AS chave, coalesce(v.valor, 0)::DECIMAL(18,2) AS esperado,
  CASE WHEN s.lado = 'A' THEN r.atual ELSE r.base END::DECIMAL(18,2) AS encontrado
FROM mart.comparativo_resultado r JOIN lados s ON s.par = r.par
LEFT JOIN somados v ON v.par = s.par AND v.lado = s.lado
WHERE r.codigo = 'resultado' AND r.nivel = 0 ORDER BY r.par, s.lado;

-- As categorias que explicam um par, e as pessoas delas, somam a variação do resultado; as pessoas, a de sua categoria.
WITH explicadas AS (
  SELECT par_id, sum(variacao) AS valor, sum(atual) AS atual, sum(base) AS base FROM mart.comparativo_explicacao
  GROUP BY par_id),
pessoas AS (SELECT par_id, ordem, sum(variacao) AS valor FROM mart.comparativo_pessoas GROUP BY ALL),
somadas AS (SELECT par_id, sum(valor) AS valor FROM pessoas GROUP BY par_id)
SELECT r.par || unnest([' · variação', ' · comparativo_explicacao', ' · comparativo_pessoas', ' · explicado em A',
    ' · explicado em B']) AS chave,
  unnest([r.atual - r.base, variacao, variacao, r.atual, r.base])::DECIMAL(18,2) AS esperado,
  unnest([variacao, coalesce(e.valor, 0), coalesce(s.valor, 0), coalesce(e.atual, 0), coalesce(e.base, 0)])
    ::DECIMAL(18,2) AS encontrado
FROM mart.comparativo_resultado r LEFT JOIN explicadas e ON e.par_id = r.par LEFT JOIN somadas s ON s.par_id = r.par
WHERE codigo = 'resultado' AND nivel = 0
UNION ALL
SELECT e.par_id || ' · ' || e.ordem || ' · pessoas', e.variacao, coalesce(p.valor, 0)
FROM mart.comparativo_explicacao e LEFT JOIN pessoas p ON p.par_id = e.par_id AND p.ordem = e.ordem;

-- Cada par tem todas as linhas, uma vez cada uma.
WITH linhas AS (
  SELECT 'comparativo_resultado' AS tabela, par, codigo, nivel, categoria_id, linha FROM mart.comparativo_resultado
  UNION ALL
  SELECT 'comparativo_caixa', par, codigo, nivel, categoria_id, linha FROM mart.comparativo_caixa),
contadas AS (
  SELECT tabela, par, count(*) AS linhas, count(DISTINCT (codigo, nivel, categoria_id, linha)) AS distintas
  FROM linhas GROUP BY ALL),
todas AS (
  SELECT tabela, count(DISTINCT (codigo, nivel, categoria_id, linha)) AS linhas FROM linhas GROUP BY tabela)
SELECT tabela || ' · ' || par || unnest([' · linhas', ' · distintas']) AS chave,
  unnest([t.linhas, c.linhas]) AS esperado, unnest([c.linhas, distintas]) AS encontrado
FROM contadas c JOIN todas t USING (tabela);

-- A variação de cada linha é o atual menos a base; as categorias de uma linha, no primeiro nível, somam a linha.
WITH linhas AS (
  SELECT 'resultado' AS tabela, par, codigo, nivel, linha, atual, base, variacao FROM mart.comparativo_resultado
  UNION ALL SELECT 'caixa', par, codigo, nivel, linha, atual, base, variacao FROM mart.comparativo_caixa),
pares AS (
  SELECT tabela, par, codigo || ' · ' || linha AS linha, atual - base AS esperado, variacao AS encontrado FROM linhas
  UNION ALL
  SELECT tabela, par, codigo || ' · ' || unnest(['atual', 'base']),
    unnest([sum(atual) FILTER (nivel = 0), sum(base) FILTER (nivel = 0)]),
    unnest([sum(atual) FILTER (nivel = 1), sum(base) FILTER (nivel = 1)])
  FROM linhas GROUP BY tabela, par, codigo HAVING bool_or(nivel = 1))
SELECT CASE WHEN esperado IS NOT DISTINCT FROM encontrado THEN 'linhas que somam'
    ELSE concat_ws(' · ', tabela, par, linha) END AS chave,
  nullif(esperado, encontrado)::DECIMAL(18,2) AS esperado,
  nullif(encontrado, esperado)::DECIMAL(18,2) AS encontrado, count(*) AS comparacoes
FROM pares GROUP BY ALL ORDER BY chave;

-- O mês fechado é o da DRE (R06), linha por linha, e o do Fluxo mensal (R04), classe por classe.
SELECT 'mês fechado · ' || c.codigo AS chave, d.valor::DECIMAL(18,2) AS esperado, c.atual::DECIMAL(18,2) AS encontrado
FROM mart.comparativo_resultado c CROSS JOIN prova.parametros p
JOIN mart.dre d ON d.codigo = c.codigo AND d.nivel = 0 AND d.mes = p.mes - to_months(1)
WHERE c.par = 'mes_fechado' AND c.nivel = 0;
SELECT 'mês fechado · ' || c.codigo AS chave, f.valor::DECIMAL(18,2) AS esperado, c.atual::DECIMAL(18,2) AS encontrado
FROM mart.comparativo_caixa c CROSS JOIN prova.parametros p
JOIN mart.fluxo_mensal f ON f.linha = c.codigo AND f.nivel = 0 AND f.mes = p.mes - to_months(1)
WHERE c.par = 'mes_fechado' AND c.nivel = 0
;

-- A variação que a folha DRE imprime é a do primeiro par, pela linha e a categoria; o que não se moveu nele mudou zero.
WITH par AS (FROM mart.comparativo_resultado WHERE par = 'mes_ate_d'),
lados AS (
  SELECT d.codigo || ' · ' || d.linha AS linha, d.variacao_ate_d AS encontrado,
    CASE WHEN d.nivel = 0 THEN c.variacao WHEN EXISTS (FROM par) THEN coalesce(c.variacao, 0) END AS esperado
  FROM mart.dre_acumulado d LEFT JOIN par c ON c.codigo = d.codigo AND c.nivel = d.nivel AND c.linha = d.linha
    AND c.categoria_id IS NOT DISTINCT FROM d.categoria_id
  WHERE EXISTS (FROM par) OR d.variacao_ate_d IS NOT NULL)
SELECT CASE WHEN esperado IS NOT DISTINCT FROM encontrado THEN 'variação da DRE' ELSE 'DRE · ' || linha END AS chave,
  nullif(esperado, encontrado)::DECIMAL(18,2) AS esperado, nullif(encontrado, esperado)::DECIMAL(18,2) AS encontrado,
  count(*) AS comparacoes
FROM lados GROUP BY ALL ORDER BY chave
