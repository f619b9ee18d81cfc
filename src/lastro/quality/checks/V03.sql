-- V03 · Soma dos dias = mês; soma dos dias = semana
-- Severidade: erro
-- Relatório: R02
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
  SELECT date_trunc('month', dia)::DATE AS mes,
    unnest(['saldos_implantados', 'entradas', 'saidas', 'nao_operacional', 'transferencias']) AS linha,
    unnest([saldos_implantados, entradas_realizadas + entradas_previstas, saidas_realizadas + saidas_previstas,
      nao_operacional, transferencias]) AS valor
  FROM mart.fluxo_diario WHERE last_day(dia) <= (SELECT max(dia) FROM mart.fluxo_diario))
-- Somam: mart.fluxo_mensal onde nivel = 0 >= dias onde mes IN (SELECT mes FROM mart.fluxo_mensal) por mes, linha
--   como strftime(mes, '%Y-%m · ') || linha: valor

-- Os dias de uma semana inteira somam a do Fluxo semanal, coluna por coluna; nenhuma falta até a última mostrada.
WITH dias AS (
  SELECT *, date_trunc('week', dia)::DATE AS inicio FROM mart.fluxo_diario
  WHERE date_trunc('week', dia) <= (SELECT max(inicio) FROM mart.fluxo_semanal)
  QUALIFY count(*) OVER (PARTITION BY date_trunc('week', dia)) = 7)
-- Somam: mart.fluxo_semanal >= dias por inicio como 'semana ' || inicio:
--   saldos_implantados, entradas_realizadas, saidas_realizadas, entradas_previstas, saidas_previstas, nao_operacional,
--   transferencias
