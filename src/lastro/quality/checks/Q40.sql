-- Q40 · Tributo sem guia
-- Gravidade: informação
-- Lados: nenhum
-- Por que importa: Um mês sem lançamento entre dois que o têm: a guia pode faltar, e a dívida não aparece.
-- O que fazer: Perguntar à contabilidade pela guia desse mês; se não houve fato gerador, nada.

-- Só de tributos que vêm todo mês: a maioria dos seus meses está a menos de um trimestre do seguinte (R21). De um mês
-- com mais de um ano de história, se o mesmo mês do ano anterior o teve; antes disso, se os dois vizinhos o têm.
WITH meses AS (
  SELECT DISTINCT l.categoria_id, date_trunc('month', l.data_competencia_ef)::DATE AS mes FROM prova.linhas l
  SEMI JOIN prova.tributos t ON t.categoria_id = l.categoria_id
  WHERE NOT l.transferencia AND l.data_competencia_ef IS NOT NULL),
seguidos AS (
  SELECT *, lead(mes) OVER de AS proximo, min(mes) OVER (PARTITION BY categoria_id) AS primeiro FROM meses
  WINDOW de AS (PARTITION BY categoria_id ORDER BY mes)),
mensais AS (
  SELECT categoria_id FROM seguidos WHERE proximo IS NOT NULL GROUP BY categoria_id
  HAVING 2 * count(*) FILTER (proximo < mes + INTERVAL 3 MONTHS) >= count(*))
SELECT 'categoria' AS tipo, s.categoria_id AS id, falta::DATE AS dia, strftime(falta, '%m/%Y') AS texto
FROM (
  SELECT unnest(generate_series(mes + INTERVAL 1 MONTH, proximo - INTERVAL 1 MONTH, INTERVAL 1 MONTH))
      AS falta, *
  FROM seguidos WHERE proximo > mes + INTERVAL 1 MONTH) s
SEMI JOIN mensais m ON m.categoria_id = s.categoria_id
WHERE CASE WHEN falta - INTERVAL 12 MONTHS < primeiro THEN proximo = mes + INTERVAL 2 MONTHS
  ELSE EXISTS (FROM meses a WHERE a.categoria_id = s.categoria_id AND a.mes = s.falta - INTERVAL 12 MONTHS) END
