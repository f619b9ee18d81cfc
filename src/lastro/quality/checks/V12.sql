-- V12 · Valor da cobrança viva = soma das linhas positivas de seus títulos
-- Severidade: alerta
-- Relatório: R11
-- Julga: o que os relatórios mostram
-- Por que importa: cobra-se do cliente outro valor do que se espera receber.
-- O que fazer: veja em Divergências (M3) o lançamento que mudou depois da cobrança; se difere toda cobrança de um
--   composto, o modo dos compostos está errado: veja V14. Se diferem só figuras de Cobranças, relate-o.

-- Cada cobrança viva ao lado das linhas positivas dos títulos que cobra (S12); as iguais, juntas.
FROM (
  SELECT CASE WHEN valor = positivas THEN 'cobranças iguais' ELSE 'cobrança ' || cobranca_id END AS chave,
    sum(valor)::DECIMAL(18,2) AS esperado, sum(positivas)::DECIMAL(18,2) AS encontrado, count(*) AS comparacoes
  FROM prova.cobrancas WHERE viva GROUP BY chave
  UNION ALL
  SELECT 'total', coalesce(sum(valor), 0), coalesce(sum(positivas), 0), 0 FROM prova.cobrancas WHERE viva)
ORDER BY length(chave), chave;

-- As divergências M3 de Cobranças (R11 g): cada cobrança uma vez, com seu valor, e nenhuma outra.
SELECT 'Divergências · M3 · cobrança ' || cobranca_id AS chave, c.valor AS esperado,
  CASE WHEN m.vezes = 1 THEN m.valor END AS encontrado
FROM (SELECT cobranca_id, valor FROM prova.cobrancas WHERE list_contains(divergencias, 'M3')) c
FULL JOIN (
  SELECT cobranca_id, any_value(valor) AS valor, count(*) AS vezes FROM mart.cobrancas_divergencias WHERE tipo = 'M3'
  GROUP BY cobranca_id) m USING (cobranca_id)
ORDER BY cobranca_id;

-- Os valores de Cobranças (R11): por situação e, sem as canceladas, ao todo (a), no funil (b), pendentes vencidas (d) e
-- em trânsito (e).
WITH linhas AS (
  SELECT *,
    unnest([status, CASE WHEN viva THEN 'total' END, CASE WHEN viva AND orfa THEN 'sem_lancamento' END]) AS linha
  FROM prova.cobrancas),
situacoes AS (
  SELECT linha AS status, sum(valor) AS valor, sum(valor_pago) FILTER (paga) AS pago, sum(taxa) FILTER (paga) AS taxas,
    sum(liquido) FILTER (paga) AS liquido
  FROM linhas WHERE linha IS NOT NULL GROUP BY linha),
mostradas AS (
  SELECT status_codigo AS status, sum(valor) AS valor, sum(pago) AS pago, sum(taxas) AS taxas, sum(liquido) AS liquido
  FROM mart.cobrancas_por_status GROUP BY status_codigo
  UNION ALL
  SELECT codigo, sum(valor), sum(pago), sum(taxas), sum(liquido) FROM mart.cobrancas_por_status_total GROUP BY codigo),
meses AS (
  SELECT date_trunc('month', data_vencimento)::DATE AS mes, rank, sum(valor) AS valor FROM prova.cobrancas WHERE viva
  GROUP BY ALL),
funil AS (
  SELECT mes, etapa, sum(valor) AS valor FROM meses JOIN (SELECT unnest(range(1, 6)) AS etapa) ON rank >= etapa
  GROUP BY ALL),
parados AS (
  SELECT sum(c.valor) FILTER (c.rank = 2 AND c.data_vencimento < p.data_base) AS vencidas,
    sum(c.liquido) FILTER (c.rank IN (3, 4)) AS transito
  FROM prova.cobrancas c CROSS JOIN prova.parametros p WHERE c.viva)
SELECT 'Cobranças por situação · ' || status || unnest([' · valor', ' · pago', ' · taxas', ' · líquido']) AS chave,
  unnest([coalesce(s.valor, 0), coalesce(s.pago, 0), coalesce(s.taxas, 0), coalesce(s.liquido, 0)])::DECIMAL(18,2)
    AS esperado,
  unnest([m.valor, m.pago, m.taxas, m.liquido])::DECIMAL(18,2) AS encontrado
FROM situacoes s FULL JOIN mostradas m USING (status)
UNION ALL
SELECT strftime(m.mes_de_vencimento, 'Funil · %Y-%m · ') || m.etapa, coalesce(f.valor, 0), m.valor
FROM mart.cobrancas_funil m LEFT JOIN funil f ON f.mes = m.mes_de_vencimento AND f.etapa = m.etapa
UNION ALL
SELECT strftime(m.mes_de_vencimento, 'Funil de seis meses · %Y-%m'), coalesce(f.valor, 0), m.valor
FROM mart.cobrancas_funil_meses m LEFT JOIN funil f ON f.mes = m.mes_de_vencimento AND f.etapa = 1
UNION ALL
SELECT 'Funil de todos os meses', (SELECT coalesce(sum(valor), 0) FROM meses WHERE rank >= 1),
  (SELECT sum(valor) FROM mart.cobrancas_funil_meses_total)
UNION ALL
SELECT 'Pendentes vencidas', coalesce(vencidas, 0),
  (SELECT coalesce(sum(valor), 0) FROM mart.cobrancas_pendentes_vencidas) FROM parados
UNION ALL
SELECT 'Em trânsito', coalesce(transito, 0), (SELECT coalesce(sum(liquido), 0) FROM mart.cobrancas_em_transito)
FROM parados ORDER BY chave;

-- Quantas são em cada um desses lugares; o funil tem cinco etapas de cada mês em que vence uma cobrança viva.
WITH vivas AS (
  SELECT date_trunc('month', data_vencimento)::DATE AS mes, rank, count(*) AS qtde FROM prova.cobrancas WHERE viva
  GROUP BY ALL),
funil AS (
  SELECT mes, etapa, coalesce(sum(qtde) FILTER (rank >= etapa), 0)::BIGINT AS qtde
  FROM vivas CROSS JOIN (SELECT unnest(range(1, 6)) AS etapa) GROUP BY ALL),
parados AS (
  SELECT count(*) FILTER (c.rank = 2 AND c.data_vencimento < p.data_base) AS vencidas,
    count(*) FILTER (c.rank IN (3, 4)) AS transito
  FROM prova.cobrancas c CROSS JOIN prova.parametros p WHERE c.viva)
SELECT 'Cobranças por situação · ' || status || ' · qtde' AS chave, coalesce(s.qtde, 0) AS esperado,
  m.qtde::BIGINT AS encontrado
FROM (
  SELECT status, count(*) AS qtde FROM (
    SELECT
      unnest([status, CASE WHEN viva THEN 'total' END, CASE WHEN viva AND orfa THEN 'sem_lancamento' END]) AS status
    FROM prova.cobrancas) WHERE status IS NOT NULL GROUP BY status) s
FULL JOIN (
  SELECT status_codigo AS status, sum(qtde) AS qtde FROM mart.cobrancas_por_status GROUP BY ALL
  UNION ALL SELECT codigo, sum(qtde) FROM mart.cobrancas_por_status_total GROUP BY ALL) m USING (status)
UNION ALL
SELECT coalesce(strftime(mes, 'Funil · %Y-%m · '), 'Funil · sem mês · ') || etapa || ' · qtde', f.qtde,
  CASE WHEN m.vezes = 1 THEN m.qtde END
FROM funil f FULL JOIN (
  SELECT mes_de_vencimento AS mes, etapa, any_value(qtde) AS qtde, count(*) AS vezes FROM mart.cobrancas_funil
  GROUP BY ALL) m USING (mes, etapa)
UNION ALL
SELECT strftime(m.mes, 'Funil de seis meses · %Y-%m · ') || m.etapa || ' · qtde', coalesce(f.qtde, 0), m.qtde
FROM (
  SELECT mes_de_vencimento AS mes, unnest(range(1, 6)) AS etapa,
    unnest([agendado, pendente, cliente_pagou, transferindo, transferido]) AS qtde
  FROM mart.cobrancas_funil_meses) m
LEFT JOIN funil f USING (mes, etapa)
UNION ALL
SELECT 'Funil de todos os meses · ' || m.etapa || ' · qtde',
  (SELECT count(*) FROM prova.cobrancas WHERE viva AND rank >= m.etapa), m.qtde
FROM (
  SELECT unnest(range(1, 6)) AS etapa, unnest([agendado, pendente, cliente_pagou, transferindo, transferido]) AS qtde
  FROM mart.cobrancas_funil_meses_total) m
UNION ALL SELECT 'Funil de todos os meses', 1, count(*) FROM mart.cobrancas_funil_meses_total
UNION ALL
SELECT 'Funil de seis meses' || unnest([' · meses', ' · meses distintos']), 6,
  unnest([count(*), count(DISTINCT mes_de_vencimento)])
FROM mart.cobrancas_funil_meses
UNION ALL
SELECT 'Pendentes vencidas · qtde', vencidas,
  (SELECT coalesce(sum(qtde), 0)::BIGINT FROM mart.cobrancas_pendentes_vencidas) FROM parados
UNION ALL
SELECT 'Em trânsito · qtde', transito, (SELECT coalesce(sum(qtde), 0)::BIGINT FROM mart.cobrancas_em_transito)
FROM parados
UNION ALL
SELECT 'Cobranças · linhas', (SELECT count(*) FROM prova.cobrancas), (SELECT count(*) FROM mart.cobrancas_detalhe)
ORDER BY chave;

-- Os cinco valores de cada cobrança da lista (f), como foram recebidos; as iguais, juntas.
WITH pares AS (
  SELECT cobranca_id, [c.valor, c.valor_multa_juros, c.valor_pago, c.taxa, c.liquido] AS recebidos,
    [d.valor, d.multa_e_juros, d.valor_pago, d.taxa, d.liquido] AS mostrados
  FROM prova.cobrancas c FULL JOIN mart.cobrancas_detalhe d USING (cobranca_id))
SELECT 'Cobranças · iguais' AS chave, NULL::DECIMAL(18,2) AS esperado, NULL::DECIMAL(18,2) AS encontrado,
  5 * count(*) AS comparacoes
FROM pares WHERE recebidos IS NOT DISTINCT FROM mostrados HAVING count(*) > 0
UNION ALL
SELECT 'Cobranças · cobrança ' || cobranca_id
    || unnest([' · valor', ' · multa e juros', ' · valor pago', ' · taxa', ' · líquido']),
  unnest(recebidos), unnest(mostrados), 1
FROM pares WHERE recebidos IS DISTINCT FROM mostrados ORDER BY chave
