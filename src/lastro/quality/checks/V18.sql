-- V18 · Previsto + desvios = realizado (R13)
-- Severidade: erro
-- Relatório: R13
-- Sem comparações: sem execução anterior
-- Por que importa: a cascata diz por que o caixa saiu como saiu; se não soma, um desvio falta ou conta duas vezes.
-- O que fazer: veja em Previsto x realizado o período que difere; os dados sozinhos não o causam, relate-o.

-- A cascata vai do previsto ao realizado, do começo do mês à véspera da data-base: os itens antes de 'Realizado' somam
-- o último, que é o caixa das linhas nesses dias (S4, S7, sem transferências).
WITH realizado AS (
  SELECT coalesce(sum(valor), 0) AS caixa FROM prova.linhas CROSS JOIN prova.parametros
  WHERE caixa AND NOT transferencia
    AND data_pagamento BETWEEN date_trunc('month', data_base - 1)::DATE AND data_base - 1),
cascata AS (
  SELECT sum(valor) FILTER (item <> 'Realizado') AS soma_dos_itens,
    sum(valor) FILTER (item = 'Realizado') AS fim
  FROM mart.previsto_realizado_desvios HAVING count(*) > 0)
SELECT unnest(['total', 'cascata · soma', 'cascata · realizado']) AS chave,
  unnest([caixa, fim, caixa])::DECIMAL(18,2) AS esperado,
  unnest([fim, soma_dos_itens, fim])::DECIMAL(18,2) AS encontrado
FROM cascata, realizado;

-- Cada previsão de um período: o realizado é o caixa das linhas nos dias dele, sem transferências e sem o que está fora
-- do resultado; o erro é o realizado menos o previsto. Também a diferença de cada linha entre as maiores.
WITH realizados AS (
  SELECT p.de, p.ate, sum(l.valor) AS valor
  FROM (SELECT DISTINCT de, ate FROM mart.previsto_realizado) p
  JOIN prova.linhas l ON l.caixa AND NOT l.transferencia AND NOT l.fora_resultado
    AND l.data_pagamento BETWEEN p.de AND p.ate
  GROUP BY ALL)
SELECT periodo || ' · ' || antecedencia_dias || ' dias · ' || unnest(['erro', 'realizado']) AS chave,
  unnest([realizado - previsto, coalesce(s.valor, 0)])::DECIMAL(18,2) AS esperado,
  unnest([erro, realizado])::DECIMAL(18,2) AS encontrado
FROM mart.previsto_realizado p LEFT JOIN realizados s ON s.de = p.de AND s.ate = p.ate
UNION ALL
SELECT 'linha ' || linha_id || ' · diferença', realizado - previsto, diferenca FROM mart.previsto_realizado_maiores;

-- A cascata tem os seus doze itens, e nenhum deles, nenhum período e nenhuma das maiores diferenças se repete.
SELECT unnest(['cascata · itens', 'cascata · itens distintos']) AS chave, unnest([12, count(*)]) AS esperado,
  unnest([count(*), count(DISTINCT item)]) AS encontrado
FROM mart.previsto_realizado_desvios HAVING count(*) > 0
UNION ALL
SELECT 'previsão · períodos distintos', count(*), count(DISTINCT (periodo, antecedencia_dias))
FROM mart.previsto_realizado HAVING count(*) > 0
UNION ALL
SELECT 'maiores diferenças · distintas', count(*), count(DISTINCT (linha_id, previsto, realizado))
FROM mart.previsto_realizado_maiores HAVING count(*) > 0;

-- Os períodos são o mês da data-base e o anterior, a semana dela e as quatro anteriores. Onde uma execução previu um
-- com certa antecedência, está previsto tudo o que pede uma execução de até aquele dia, ou de depois.
WITH periodos AS (
  SELECT unnest([mes, (mes - to_months(1))::DATE]) AS de FROM prova.parametros
  UNION ALL
  SELECT date_trunc('week', data_base)::DATE - unnest([0, 7, 14, 21, 28]) FROM prova.parametros),
pedidas AS (
  SELECT de - greatest(antecedencia, 1) AS ate
  FROM periodos CROSS JOIN (SELECT unnest([0, 7, 30, 60, 90]) AS antecedencia) CROSS JOIN prova.parametros
  WHERE de < data_base),
mostradas AS (
  SELECT count(*) AS linhas, min(de - greatest(antecedencia_dias, 1)::INTEGER) AS primeira
  FROM mart.previsto_realizado)
SELECT 'previsão · períodos' AS chave, count(*) FILTER (ate >= primeira) AS esperado, any_value(linhas) AS encontrado
FROM pedidas CROSS JOIN mostradas HAVING any_value(linhas) > 0;

-- As maiores diferenças de cada item da cascata somam o item, se não são tantas que só se mostram vinte.
SELECT 'maiores diferenças · ' || d.item AS chave, any_value(d.valor)::DECIMAL(18,2) AS esperado,
  coalesce(sum(m.diferenca), 0)::DECIMAL(18,2) AS encontrado
FROM mart.previsto_realizado_desvios d LEFT JOIN mart.previsto_realizado_maiores m ON m.classe = d.item
WHERE d.item NOT IN ('Previsto', 'Realizado') AND (SELECT count(*) FROM mart.previsto_realizado_maiores) < 20
GROUP BY d.item
