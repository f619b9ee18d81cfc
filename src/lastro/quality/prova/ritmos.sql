-- O ritmo mensal de cada categoria que se moveu nos doze últimos meses fechados, do mês da data-base ao do último dos
-- treze domingos da Previsão (S24); sem seis meses fechados, nenhum.
--   classe: Entradas ou Saídas (S5)
--   regra: corrente (moveu-se num terço dos meses) ou anual
--   ritmo: corrente = mediana dos seis últimos meses vezes a estação; anual = o mesmo mês do ano anterior
--   teto: o que se espera no máximo, sem sinal: o ritmo; no mês da data-base a parte dos dias úteis que faltam
WITH pagos AS (
  SELECT classe, categoria_id, date_trunc('month', data_pagamento)::DATE AS quando, (100 * sum(valor))::HUGEINT AS valor
  FROM prova.linhas WHERE caixa AND classe IN ('Entradas', 'Saídas') GROUP BY ALL),
fechados AS (
  SELECT mes AS atual, unnest(range((SELECT min(quando) FROM pagos)::TIMESTAMP, mes::TIMESTAMP, INTERVAL 1 MONTH))::DATE
    AS quando FROM prova.parametros),
historia AS (SELECT *, count(*) OVER () AS meses, row_number() OVER (ORDER BY quando DESC) AS atras FROM fechados),
regras AS (
  SELECT classe, categoria_id,
    CASE WHEN 3 * count(*) >= least(any_value(meses), 12) THEN 'corrente' ELSE 'anual' END AS regra
  FROM pagos JOIN historia USING (quando) WHERE valor <> 0 AND atras <= 12 AND meses >= 6 GROUP BY ALL),
-- O dobro da mediana de seis meses é a soma dos dois do meio.
medianas AS (
  SELECT r.classe, r.categoria_id, list_sort(list(coalesce(p.valor, 0)))[3:4].list_sum() AS dobro
  FROM regras r CROSS JOIN (FROM historia WHERE atras <= 6) h LEFT JOIN pagos p
    ON p.classe = r.classe AND p.categoria_id IS NOT DISTINCT FROM r.categoria_id AND p.quando = h.quando
  WHERE r.regra = 'corrente' GROUP BY ALL),
somas AS (
  SELECT p.classe, p.quando, sum(p.valor) AS valor FROM pagos p JOIN medianas m
    ON m.classe = p.classe AND m.categoria_id IS NOT DISTINCT FROM p.categoria_id GROUP BY ALL),
antes AS (
  SELECT c.classe, list_sort(list(coalesce(s.valor, 0)))[3:4].list_sum() AS dobro, any_value(meses) AS meses
  FROM (SELECT DISTINCT classe FROM medianas) c CROSS JOIN (FROM historia WHERE atras BETWEEN 13 AND 18) h
  LEFT JOIN somas s ON s.classe = c.classe AND s.quando = h.quando GROUP BY ALL),
meses AS (
  SELECT unnest(range(mes::TIMESTAMP, date_trunc('week', data_base) + INTERVAL 91 DAY, INTERVAL 1 MONTH))::DATE AS mes
  FROM prova.parametros),
-- A estação, de um meio a dois, como fração exata.
estacoes AS (
  SELECT c.classe, m.mes, CASE WHEN a.meses >= 18 AND a.dobro <> 0
      THEN least(4 * abs(a.dobro), greatest(4 * sign(a.dobro) * coalesce(s.valor, 0), abs(a.dobro))) ELSE 1 END AS cima,
    CASE WHEN a.meses >= 18 AND a.dobro <> 0 THEN 2 * abs(a.dobro) ELSE 1 END AS baixo
  FROM (SELECT DISTINCT classe FROM medianas) c CROSS JOIN meses m LEFT JOIN antes a ON a.classe = c.classe
  LEFT JOIN somas s ON s.classe = c.classe AND s.quando = m.mes - INTERVAL 12 MONTH),
uteis AS (
  SELECT p.mes, count(*) AS todos, count(*) FILTER (c.dia > p.data_base) AS faltam
  FROM prova.parametros p JOIN core.calendario c ON c.dia_util AND c.dia BETWEEN p.mes AND last_day(p.mes)
  GROUP BY ALL),
ritmos AS (
  SELECT r.classe, r.categoria_id, m.mes, r.regra, CASE WHEN r.regra = 'anual' THEN coalesce(p.valor, 0)
      ELSE sign(d.dobro) * ((abs(d.dobro) * e.cima + e.baixo) // (2 * e.baixo)) END AS ritmo
  FROM regras r CROSS JOIN meses m
  LEFT JOIN medianas d ON d.classe = r.classe AND d.categoria_id IS NOT DISTINCT FROM r.categoria_id
  LEFT JOIN estacoes e ON e.classe = r.classe AND e.mes = m.mes
  LEFT JOIN pagos p ON p.classe = r.classe AND p.categoria_id IS NOT DISTINCT FROM r.categoria_id
    AND p.quando = m.mes - INTERVAL 12 MONTH)
SELECT classe, categoria_id, mes, regra, 0.01 * ritmo::DECIMAL(18,0) AS ritmo,
  0.01 * coalesce((2 * abs(ritmo) * faltam + todos) // (2 * todos), abs(ritmo))::DECIMAL(18,0) AS teto
FROM ritmos LEFT JOIN uteis USING (mes)
