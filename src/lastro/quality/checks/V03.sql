-- V03 · Soma dos dias = mês; soma dos dias = semana
-- Severidade: erro
-- Relatório: R02
-- Julga: o que os relatórios mostram
-- Por que importa: o mesmo dinheiro está em três relatórios; se os dias não somam o mês e a semana, um deles engana.
-- O que fazer: veja o período e a coluna que diferem; um movimento está num dia em R02 e noutro período em R03 ou R04.

-- Os dias vão do começo do mês da data-base ao fim do horizonte, e as semanas até o delas, sem falta nem repetição.
WITH dias AS (
  SELECT min(dia) AS de, max(dia) AS ate, count(*) AS linhas, count(DISTINCT dia) AS dias FROM mart.fluxo_diario
  HAVING count(*) > 0)
SELECT unnest(['dias do Fluxo diário', 'Fluxo diário · primeiro dia', 'Fluxo diário · último dia',
    'Fluxo diário · dias sem falta']) AS chave,
  unnest([linhas::VARCHAR, mes::VARCHAR, (data_base + horizonte_dias - 1)::VARCHAR, (ate - de + 1)::VARCHAR])
    AS esperado,
  unnest([dias::VARCHAR, de::VARCHAR, ate::VARCHAR, dias::VARCHAR]) AS encontrado
FROM dias CROSS JOIN prova.parametros
UNION ALL
SELECT unnest(['Fluxo semanal · última semana', 'Fluxo semanal · semanas sem falta']),
  unnest([(date_trunc('week', any_value(data_base))::DATE + 7 * any_value(horizonte_semanas) - 7)::VARCHAR,
    ((max(inicio) - min(inicio)) // 7 + 1)::VARCHAR]),
  unnest([max(inicio)::VARCHAR, count(*)::VARCHAR])
FROM mart.fluxo_semanal CROSS JOIN prova.parametros HAVING count(*) > 0;

-- Os dias de um mês inteiro somam as colunas do Fluxo mensal, todos os momentos.
WITH dias AS (
  SELECT date_trunc('month', dia)::DATE AS mes, sum(saldos_implantados) AS saldos_implantados,
    sum(entradas_realizadas + entradas_previstas) AS entradas, sum(saidas_realizadas + saidas_previstas) AS saidas,
    sum(nao_operacional) AS nao_operacional, sum(transferencias) AS transferencias
  FROM mart.fluxo_diario GROUP BY ALL),
somados AS (UNPIVOT dias ON saldos_implantados, entradas, saidas, nao_operacional, transferencias
  INTO NAME linha VALUE valor),
meses AS (SELECT mes, linha, sum(valor) AS valor FROM mart.fluxo_mensal WHERE nivel = 0 GROUP BY ALL)
SELECT strftime(s.mes, '%Y-%m · ') || s.linha AS chave, m.valor::DECIMAL(18,2) AS esperado,
  s.valor::DECIMAL(18,2) AS encontrado
FROM somados s LEFT JOIN meses m ON m.mes = s.mes AND m.linha = s.linha
WHERE s.mes IN (SELECT mes FROM meses) AND last_day(s.mes) <= (SELECT max(dia) FROM mart.fluxo_diario)
ORDER BY s.mes;

-- Os dias de uma semana inteira somam a do Fluxo semanal, coluna por coluna; nenhuma falta até a última mostrada.
WITH dias AS (
  SELECT date_trunc('week', dia)::DATE AS inicio, count(*) AS dias, sum(saldos_implantados) AS a,
    sum(entradas_realizadas) AS b, sum(saidas_realizadas) AS c, sum(entradas_previstas) AS d,
    sum(saidas_previstas) AS e, sum(nao_operacional) AS f, sum(transferencias) AS g
  FROM mart.fluxo_diario GROUP BY ALL)
SELECT 'semana ' || d.inicio || ' · ' || unnest(['saldos_implantados', 'entradas_realizadas', 'saidas_realizadas',
    'entradas_previstas', 'saidas_previstas', 'nao_operacional', 'transferencias']) AS chave,
  unnest([a, b, c, d, e, f, g])::DECIMAL(18,2) AS esperado,
  unnest([s.saldos_implantados, s.entradas_realizadas, s.saidas_realizadas, s.entradas_previstas, s.saidas_previstas,
    s.nao_operacional, s.transferencias])::DECIMAL(18,2) AS encontrado
FROM dias d LEFT JOIN mart.fluxo_semanal s ON s.inicio = d.inicio
WHERE d.dias = 7 AND d.inicio <= (SELECT max(inicio) FROM mart.fluxo_semanal) ORDER BY d.inicio
