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

-- As divergências de Cobranças (R11 g): cada cobrança uma vez por tipo, com seu valor, e nenhuma outra; as iguais,
-- juntas.
WITH pares AS (
  SELECT tipo, cobranca_id, c.valor AS esperado, CASE WHEN m.vezes = 1 THEN m.valor END AS encontrado
  FROM (SELECT unnest(divergencias) AS tipo, cobranca_id, valor FROM prova.cobrancas) c
  FULL JOIN (
    SELECT tipo, cobranca_id, any_value(valor) AS valor, count(*) AS vezes FROM mart.cobrancas_divergencias
    GROUP BY ALL) m USING (tipo, cobranca_id))
SELECT CASE WHEN esperado = encontrado THEN 'divergências iguais'
    ELSE 'Divergências · ' || tipo || ' · cobrança ' || cobranca_id END AS chave,
  nullif(esperado, encontrado) AS esperado, nullif(encontrado, esperado) AS encontrado, count(*) AS comparacoes
FROM pares GROUP BY ALL ORDER BY chave;

-- Os valores de Cobranças (R11): por situação e, sem as canceladas, ao todo (a), no funil (b), com a conversão de
-- cada etapa, e em trânsito (e).
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
conversoes AS (
  SELECT false AS todos, mes_de_vencimento AS mes, etapa, conversao_pct AS pct FROM mart.cobrancas_funil WHERE etapa > 1
  UNION ALL
  SELECT false, mes_de_vencimento, unnest(range(2, 6)), unnest([conversao_pendente_pct, conversao_cliente_pagou_pct,
    conversao_transferindo_pct, conversao_transferido_pct]) FROM mart.cobrancas_funil_meses
  UNION ALL
  SELECT true, NULL, unnest(range(2, 6)), unnest([conversao_pendente_pct, conversao_cliente_pagou_pct,
    conversao_transferindo_pct, conversao_transferido_pct]) FROM mart.cobrancas_funil_meses_total)
SELECT 'Cobranças por situação · ' || status || unnest([' · valor', ' · pago', ' · taxas', ' · líquido']) AS chave,
  unnest([coalesce(s.valor, 0), coalesce(s.pago, 0), coalesce(s.taxas, 0), coalesce(s.liquido, 0)])::DECIMAL(18,2)
    AS esperado,
  unnest([m.valor, m.pago, m.taxas, m.liquido])::DECIMAL(18,2) AS encontrado
FROM situacoes s FULL JOIN mostradas m USING (status)
UNION ALL
SELECT strftime(m.mes_de_vencimento, 'Funil · %Y-%m · ') || m.etapa, coalesce(f.valor, 0), m.valor
FROM mart.cobrancas_funil m LEFT JOIN prova.funil f ON f.mes = m.mes_de_vencimento AND f.etapa = m.etapa
UNION ALL
SELECT strftime(m.mes_de_vencimento, 'Funil de seis meses · %Y-%m'), coalesce(f.valor, 0), m.valor
FROM mart.cobrancas_funil_meses m LEFT JOIN prova.funil f ON f.mes = m.mes_de_vencimento AND f.etapa = 1
UNION ALL
SELECT 'Funil de todos os meses', coalesce((SELECT valor FROM prova.funil WHERE todos AND etapa = 1), 0),
  (SELECT sum(valor) FROM mart.cobrancas_funil_meses_total)
UNION ALL
SELECT concat_ws(' · ', 'Funil', strftime(c.mes, '%Y-%m'), c.etapa, 'conversão'), f.conversao, c.pct
FROM conversoes c
LEFT JOIN prova.funil f ON f.todos = c.todos AND f.mes IS NOT DISTINCT FROM c.mes AND f.etapa = c.etapa
UNION ALL
SELECT 'Em trânsito', coalesce((SELECT sum(liquido) FROM prova.cobrancas WHERE viva AND rank IN (3, 4)), 0),
  (SELECT coalesce(sum(liquido), 0) FROM mart.cobrancas_em_transito)
ORDER BY chave;

-- Quantas são em cada um desses lugares; o funil tem cinco etapas de cada mês em que vence uma cobrança viva.
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
FROM (FROM prova.funil WHERE NOT todos) f FULL JOIN (
  SELECT mes_de_vencimento AS mes, etapa, any_value(qtde) AS qtde, count(*) AS vezes FROM mart.cobrancas_funil
  GROUP BY ALL) m USING (mes, etapa)
UNION ALL
SELECT strftime(m.mes, 'Funil de seis meses · %Y-%m · ') || m.etapa || ' · qtde', coalesce(f.qtde, 0), m.qtde
FROM (
  SELECT mes_de_vencimento AS mes, unnest(range(1, 6)) AS etapa,
    unnest([agendado, pendente, cliente_pagou, transferindo, transferido]) AS qtde
  FROM mart.cobrancas_funil_meses) m
LEFT JOIN prova.funil f USING (mes, etapa)
UNION ALL
SELECT 'Funil de todos os meses · ' || m.etapa || ' · qtde', coalesce(f.qtde, 0), m.qtde
FROM (
  SELECT unnest(range(1, 6)) AS etapa, unnest([agendado, pendente, cliente_pagou, transferindo, transferido]) AS qtde
  FROM mart.cobrancas_funil_meses_total) m
LEFT JOIN prova.funil f ON f.todos AND f.etapa = m.etapa
UNION ALL SELECT 'Funil de todos os meses', 1, count(*) FROM mart.cobrancas_funil_meses_total
UNION ALL
SELECT 'Funil de seis meses' || unnest([' · meses', ' · meses distintos']), 6,
  unnest([count(*), count(DISTINCT mes_de_vencimento)])
FROM mart.cobrancas_funil_meses
UNION ALL
SELECT 'Em trânsito · qtde', (SELECT count(*) FROM prova.cobrancas WHERE viva AND rank IN (3, 4)),
  (SELECT coalesce(sum(qtde), 0)::BIGINT FROM mart.cobrancas_em_transito)
UNION ALL
SELECT 'Cobranças · linhas', (SELECT count(*) FROM prova.cobrancas), (SELECT count(*) FROM mart.cobrancas_detalhe)
ORDER BY chave;

-- As pendentes vencidas (d), por faixa de atraso, cada faixa uma vez.
WITH vencidas AS (
  SELECT CASE WHEN dias <= 30 THEN '1-30' WHEN dias <= 60 THEN '31-60' WHEN dias <= 90 THEN '61-90'
      WHEN dias <= 180 THEN '91-180' ELSE '>180' END AS faixa, count(*) AS qtde, sum(valor) AS valor
  FROM (SELECT p.data_base - c.data_vencimento AS dias, c.valor FROM prova.cobrancas c CROSS JOIN prova.parametros p
    WHERE c.viva AND c.rank = 2 AND c.data_vencimento < p.data_base) GROUP BY faixa)
SELECT 'Pendentes vencidas · ' || faixa || unnest(['', ' · qtde', ' · vezes']) AS chave,
  unnest([coalesce(v.valor, 0), coalesce(v.qtde, 0), 1])::DECIMAL(18,2) AS esperado,
  unnest([m.valor, m.qtde, m.vezes])::DECIMAL(18,2) AS encontrado
FROM (SELECT unnest(['1-30', '31-60', '61-90', '91-180', '>180']) AS faixa)
FULL JOIN (
  SELECT faixa, sum(valor) AS valor, sum(qtde) AS qtde, count(*) AS vezes FROM mart.cobrancas_pendentes_vencidas
  GROUP BY faixa) m USING (faixa)
LEFT JOIN vencidas v USING (faixa);

-- Os tempos (c), por forma, que a lista (f) diz: quantas foram pagas e transferidas com dia, e os dias, em média e
-- mediana, meio para cima (S14).
WITH dias AS (
  SELECT d.forma, unnest([1, 2]) AS trecho,
    unnest([c.pago_em - c.data_vencimento, c.data_transferido - c.pago_em]) AS dias
  FROM prova.cobrancas c JOIN mart.cobrancas_detalhe d USING (cobranca_id) WHERE c.viva),
esperados AS (
  SELECT forma, trecho, count(dias) AS qtde, median(dias) AS mediana,
    (sign(sum(dias)) * ((20 * abs(sum(dias)) + count(dias)) // (2 * nullif(count(dias), 0)))) * 0.1 AS media
  FROM dias GROUP BY ALL),
mostrados AS (
  SELECT forma, unnest([1, 2]) AS trecho, unnest([pagas_com_data, transferidas_com_data]) AS qtde,
    unnest([venc_pagto_media, pagto_transf_media]) AS media,
    unnest([venc_pagto_mediana, pagto_transf_mediana]) AS mediana,
    count(*) OVER (PARTITION BY forma) AS vezes
  FROM mart.cobrancas_tempos)
SELECT 'Tempos · ' || forma || ' · ' || ['vencimento a pagamento', 'pagamento a transferência'][trecho]
    || unnest([' · qtde', ' · média', ' · mediana', ' · vezes']) AS chave,
  unnest([e.qtde, e.media, e.mediana, 1])::DECIMAL(18,1) AS esperado,
  unnest([m.qtde, m.media, m.mediana, m.vezes])::DECIMAL(18,1) AS encontrado
FROM esperados e FULL JOIN mostrados m USING (forma, trecho);

-- Os cinco valores de cada cobrança da lista (f), como foram recebidos; as iguais, juntas.
WITH pares AS (
  SELECT cobranca_id, [c.valor, c.valor_multa_juros, c.valor_pago, c.taxa, c.liquido] AS recebidos,
    [d.valor, d.valor_multa_juros, d.valor_pago, d.taxa, d.liquido] AS mostrados
  FROM prova.cobrancas c FULL JOIN mart.cobrancas_detalhe d USING (cobranca_id))
SELECT 'Cobranças · iguais' AS chave, NULL::DECIMAL(18,2) AS esperado, NULL::DECIMAL(18,2) AS encontrado,
  5 * count(*) AS comparacoes
FROM pares WHERE recebidos IS NOT DISTINCT FROM mostrados HAVING count(*) > 0
UNION ALL
SELECT 'Cobranças · cobrança ' || cobranca_id
    || unnest([' · valor', ' · multa e juros', ' · valor pago', ' · taxa', ' · líquido']),
  unnest(recebidos), unnest(mostrados), 1
FROM pares WHERE recebidos IS DISTINCT FROM mostrados ORDER BY chave
