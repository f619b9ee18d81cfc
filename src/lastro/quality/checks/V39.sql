-- V39 · As semanas da Previsão somam a mudança do saldo, e o esperado não excede o ritmo
-- Severidade: erro
-- Relatório: R23
-- Julga: o que os relatórios mostram
-- Por que importa: quem decide por uma previsão precisa que ela parta do saldo, some e não conte nada duas vezes.
-- O que fazer: é defeito de cálculo; relate-o com a semana ou a categoria que difere.

-- As semanas realizadas trazem os movimentos dos registros (S4, S5, S7), e a última acaba no saldo da data-base.
WITH semanas AS (SELECT * FROM mart.previsao_semanal WHERE tipo = 'Realizado'),
movidos AS (
  SELECT s.inicio, coalesce(sum(m.valor) FILTER (m.linha = 'Entradas'), 0) AS entra,
    coalesce(sum(m.valor) FILTER (m.linha = 'Saídas'), 0) AS sai,
    coalesce(sum(m.valor) FILTER (m.linha NOT IN ('Entradas', 'Saídas')), 0) AS resto
  FROM semanas s LEFT JOIN prova.movimentos m ON NOT m.previsto AND m.dia BETWEEN s.inicio AND s.fim GROUP BY ALL)
SELECT 'realizado ' || s.inicio || ' · ' || unnest(['entra', 'sai', 'não operacional e transf.']) AS chave,
  unnest([m.entra, m.sai, m.resto])::DECIMAL(18,2) AS esperado,
  unnest([s.lancado_entra, s.lancado_sai, s.nao_operacional_e_transf])::DECIMAL(18,2) AS encontrado
FROM semanas s JOIN movidos m USING (inicio) ORDER BY s.inicio;

-- Uma semana prevista é o saldo de antes mais as suas colunas (S24).
WITH passos AS (
  SELECT *, lag(saldo_previsto) OVER (ORDER BY fim, tipo DESC) AS antes,
    lancado_entra + lancado_sai + nao_operacional_e_transf + coalesce(esperado_entra + esperado_sai, 0)
      + coalesce(correcao, 0) AS soma
  FROM mart.previsao_semanal)
SELECT tipo || ' até ' || fim || ' · saldo' AS chave, (antes + soma)::DECIMAL(18,2) AS esperado,
  saldo_previsto AS encontrado
FROM passos WHERE antes IS NOT NULL ORDER BY fim;

-- O lançado acumulado é o saldo «Como os clientes pagam» do mesmo domingo, com o que as decisões mudam (S24): o
-- plano sem as promessas.
WITH base AS (
  SELECT saldo_previsto AS saldo FROM mart.previsao_semanal WHERE tipo = 'Realizado' QUALIFY fim = max(fim) OVER ()),
lancado AS (
  SELECT fim, sum(lancado_entra + lancado_sai + nao_operacional_e_transf) OVER (ORDER BY fim) AS valor
  FROM mart.previsao_semanal WHERE tipo = 'Previsto')
SELECT 'lançado até ' || l.fim AS chave,
  (sum(c.saldo_final) FILTER (c.codigo = 'se_os_habitos_persistirem')
    + coalesce(sum(c.diferenca) FILTER (c.codigo = 'com_o_combinado'), 0)
    - coalesce(sum(c.diferenca) FILTER (c.codigo = 'com_promessas'), 0))::DECIMAL(18,2) AS esperado,
  any_value(b.saldo + l.valor)::DECIMAL(18,2) AS encontrado
FROM lancado l CROSS JOIN base b JOIN mart.fluxo_semanal_cenarios c ON c.fim = l.fim GROUP BY l.fim ORDER BY l.fim;

-- Cada categoria traz o ritmo e o pago dos registros, e espera o que falta ao ritmo (S24); um recorte não espera nada.
WITH ritmos AS (FROM prova.ritmos WHERE EXISTS (FROM mart.previsao_categorias WHERE regra IS NOT NULL)),
pagos AS (
  SELECT l.classe, l.categoria_id, p.mes, sum(l.valor) AS realizado FROM prova.linhas l JOIN prova.parametros p
    ON l.data_pagamento >= p.mes
  WHERE l.caixa AND l.classe IN ('Entradas', 'Saídas') GROUP BY ALL),
mostradas AS (
  SELECT classe, categoria_id, mes, regra, count(*) AS vezes, sum(ritmo_mensal) AS ritmo, sum(realizado) AS realizado,
    sum(lancado) AS lancado, sum(esperado) AS esperado FROM mart.previsao_categorias GROUP BY ALL),
chaves AS (
  SELECT classe, categoria_id, mes FROM ritmos UNION SELECT classe, categoria_id, mes FROM pagos
  UNION SELECT classe, categoria_id, mes FROM mostradas WHERE lancado <> 0),
base AS (
  SELECT k.*, m.* EXCLUDE (classe, categoria_id, mes), coalesce(r.ritmo, 0) AS certo, coalesce(p.realizado, 0) AS pago,
    sign(certo) * least(coalesce(r.teto, 0), greatest(0, abs(certo) - greatest(0, sign(certo) * (pago + m.lancado))))
      AS falta
  FROM chaves k
  LEFT JOIN ritmos r ON r.classe = k.classe AND r.categoria_id IS NOT DISTINCT FROM k.categoria_id AND r.mes = k.mes
  LEFT JOIN pagos p ON p.classe = k.classe AND p.categoria_id IS NOT DISTINCT FROM k.categoria_id AND p.mes = k.mes
  LEFT JOIN mostradas m ON m.classe = k.classe AND m.categoria_id IS NOT DISTINCT FROM k.categoria_id
    AND m.mes = k.mes AND m.regra IS NOT DISTINCT FROM r.regra)
SELECT concat_ws(' ', classe, categoria_id, strftime(mes, '%Y-%m'), unnest(['ritmo', 'pago', 'esperado', 'vezes']))
    AS chave,
  unnest([certo, pago, falta, 1])::DECIMAL(18,2) AS esperado,
  unnest([ritmo, realizado, esperado, vezes])::DECIMAL(18,2) AS encontrado
FROM base WHERE EXISTS (FROM mart.previsao_semanal) ORDER BY classe, categoria_id, mes;

-- O lançado de uma categoria num mês são as suas linhas em aberto que se movem nele (S24): a pagar sem decisão,
-- exatamente, e do vencido nada; o a receber segue os hábitos e o decidido a mesa, e não passam do que está em aberto.
WITH partes AS (
  SELECT l.classe, l.categoria_id, l.mes, l.valor AS fixo, 0 AS lancado
  FROM prova.lancados l JOIN prova.parametros p ON l.mes <= date_trunc('week', p.data_base)::DATE + 90
  WHERE NOT l.habito AND l.classe IN ('Entradas', 'Saídas')
  UNION ALL SELECT classe, categoria_id, mes, 0, lancado FROM mart.previsao_categorias),
somas AS (
  SELECT classe, categoria_id, mes, sum(fixo) AS fixo, sum(lancado) AS lancado FROM partes
  GROUP BY GROUPING SETS ((classe, categoria_id, mes), (classe, categoria_id))),
habituais AS (
  SELECT classe, categoria_id, sum(least(valor, 0)) AS de, sum(greatest(valor, 0)) AS ate FROM prova.lancados
  WHERE habito GROUP BY ALL)
SELECT concat_ws(' ', s.classe, s.categoria_id, coalesce(strftime(s.mes, '%Y-%m'), 'ao todo'), 'lançado') AS chave,
  least(greatest(s.lancado, s.fixo + coalesce(h.de, 0)), s.fixo + coalesce(h.ate, 0))::DECIMAL(18,2) AS esperado,
  s.lancado::DECIMAL(18,2) AS encontrado
FROM somas s
LEFT JOIN habituais h ON h.classe = s.classe AND h.categoria_id IS NOT DISTINCT FROM s.categoria_id
WHERE EXISTS (FROM mart.previsao_semanal) ORDER BY s.classe, s.categoria_id, s.mes;

-- O lançado de um mês é a mudança do saldo «Como os clientes pagam» com as decisões (R04) sem o não operacional e as
-- transferências. Não se compara onde algo não operacional se recebe por hábito ou foi decidido.
WITH saldos AS (
  SELECT mes, sum(saldo_final) FILTER (codigo = 'se_os_habitos_persistirem')
    + coalesce(sum(diferenca) FILTER (codigo = 'com_o_combinado'), 0)
    - coalesce(sum(diferenca) FILTER (codigo = 'com_promessas'), 0) AS saldo
  FROM mart.fluxo_mensal_cenarios GROUP BY mes),
mudancas AS (
  SELECT h.mes, h.saldo - lag(h.saldo, 1, s.saldo_previsto) OVER (ORDER BY h.mes) AS valor
  FROM saldos h CROSS JOIN prova.parametros p
  JOIN mart.previsao_semanal s ON s.tipo = 'Realizado' AND s.fim = p.data_base),
fora AS (SELECT mes, sum(valor) AS valor FROM prova.lancados WHERE classe NOT IN ('Entradas', 'Saídas') GROUP BY mes),
mostrados AS (SELECT mes, sum(lancado) AS lancado FROM mart.previsao_categorias GROUP BY mes)
SELECT 'lançado em ' || strftime(m.mes, '%Y-%m') AS chave, (m.valor - coalesce(f.valor, 0))::DECIMAL(18,2) AS esperado,
  c.lancado::DECIMAL(18,2) AS encontrado
FROM mudancas m JOIN mostrados c ON c.mes = m.mes LEFT JOIN fora f ON f.mes = m.mes
WHERE NOT EXISTS (FROM prova.lancados WHERE habito AND classe = 'Não operacional') ORDER BY m.mes;

-- O memo do Fluxo mensal é o que se espera de cada mês (R04).
SELECT 'memo ' || strftime(m.mes, '%Y-%m') AS chave, sum(c.esperado)::DECIMAL(18,2) AS esperado,
  any_value(m.valor) AS encontrado
FROM mart.fluxo_mensal_memo m LEFT JOIN mart.previsao_categorias c ON c.mes = m.mes
WHERE m.codigo = 'esperado_nao_lancado' GROUP BY m.mes ORDER BY m.mes;

-- O saldo previsto fica dentro da sua faixa (S24).
SELECT 'faixa até ' || fim AS chave, least(greatest(saldo_previsto, faixa_de), faixa_ate)::DECIMAL(18,2) AS esperado,
  saldo_previsto AS encontrado
FROM mart.previsao_semanal WHERE faixa_de IS NOT NULL ORDER BY fim;

-- A correção e a faixa de um horizonte são a mediana e as pontas dos seus últimos 52 erros (S24).
WITH erros AS (
  SELECT horizonte, coalesce(list_sort(
      list(realizado - previsto ORDER BY fim DESC) FILTER (realizado IS NOT NULL)[:52]), []) AS e,
    len(e) AS n, (n + 1) // 10 AS k, (100 * (e[(n + 1) // 2] + e[n // 2 + 1]))::HUGEINT AS meios
  FROM mart.previsao_teste GROUP BY horizonte)
SELECT 'erros de ' || horizonte || ' semanas · ' || unnest(['medidas', 'correção', 'de', 'até']) AS chave,
  unnest([n, CASE WHEN k = 0 THEN 0 ELSE 0.01 * (sign(meios) * ((abs(meios) + 1) // 2))::DECIMAL(18,0) END,
    e[nullif(k, 0)], e[n + 1 - nullif(k, 0)]])::DECIMAL(18,2) AS esperado,
  unnest([medidas, correcao, erro_de, erro_ate])::DECIMAL(18,2) AS encontrado
FROM erros JOIN mart.previsao_cobertura USING (horizonte) ORDER BY horizonte;
SELECT 'erro de ' || data_base || ' a ' || fim AS chave, (realizado - previsto)::DECIMAL(18,2) AS esperado,
  erro AS encontrado
FROM mart.previsao_teste ORDER BY data_base, fim;

-- Uma previsão por data-base e horizonte, e cada horizonte previsto com o que os seus erros dizem: uma vez.
SELECT 'previsão de ' || data_base || ', horizonte ' || horizonte || ' · vezes' AS chave, 1::BIGINT AS esperado,
  count(*) AS encontrado
FROM mart.previsao_teste GROUP BY data_base, horizonte ORDER BY data_base, horizonte;
SELECT 'erros de ' || horizonte || ' semanas · vezes' AS chave, 1::BIGINT AS esperado,
  count(*) FILTER (mostrado) AS encontrado
FROM (
  SELECT horizonte, true AS mostrado FROM mart.previsao_cobertura
  UNION ALL SELECT DISTINCT horizonte, false FROM mart.previsao_teste)
GROUP BY horizonte ORDER BY horizonte;

-- Quatro semanas, a parte da semana da data-base até ela, e as treze a partir dela: cada uma uma vez.
WITH dias AS (SELECT date_trunc('week', data_base)::DATE AS segunda, data_base FROM prova.parametros),
esperadas AS (
  SELECT 'Realizado' AS tipo, segunda + n AS inicio, least(segunda + n + 6, data_base) AS fim
  FROM dias CROSS JOIN (SELECT unnest([-28, -21, -14, -7, 0]) AS n)
  UNION ALL
  SELECT 'Previsto', greatest(segunda + n, data_base), segunda + n + 6
  FROM dias CROSS JOIN (SELECT (7 * unnest(range(13)))::INTEGER AS n)),
mostradas AS (SELECT tipo, inicio, fim, count(*) AS vezes FROM mart.previsao_semanal GROUP BY ALL)
SELECT coalesce(e.tipo, m.tipo) || ' ' || coalesce(e.fim, m.fim) || ' · vezes' AS chave,
  CASE WHEN e.fim IS NULL THEN 0 ELSE 1 END::BIGINT AS esperado, coalesce(m.vezes, 0) AS encontrado
FROM esperadas e FULL JOIN mostradas m ON m.tipo = e.tipo AND m.inicio = e.inicio AND m.fim = e.fim
WHERE EXISTS (SELECT fim FROM mart.previsao_semanal) ORDER BY coalesce(e.fim, m.fim)
