-- V05 · A ponte competência x caixa fecha em cada mês com o fluxo e com a variação do saldo
-- Severidade: erro
-- Relatório: R07
-- Julga: o que os relatórios mostram
-- Planilhas: R07
-- Por que importa: a ponte explica por que o resultado do mês não é o dinheiro do mês; se não fecha, um dos dois
--   está errado.
-- O que fazer: veja o mês e a letra que diferem; a letra diz quais linhas procurar em Lançamentos (R07).

-- Cada letra, somada de novo das linhas pelo mês da competência e pelo mês do caixa (S4, S5).
WITH resumo AS (
  SELECT date_trunc('month', competencia)::DATE AS mc, natureza = 'R' AS receita, pago, caixa, fora, sum(valor)
    AS valor,
    CASE WHEN caixa THEN date_trunc('month', data_pagamento)::DATE END AS mx
  FROM prova.linhas WHERE NOT transferencia GROUP BY ALL),
letras AS (
  SELECT 'k' AS letra, mx AS mes, valor FROM resumo WHERE fora
  UNION ALL SELECT 'a', mc, valor FROM resumo WHERE NOT fora
  UNION ALL SELECT CASE WHEN receita THEN 'b' ELSE 'c' END, mc, -valor FROM resumo WHERE NOT fora AND NOT pago
  UNION ALL SELECT 'f', mc, -valor FROM resumo WHERE NOT fora AND pago AND NOT caixa
  UNION ALL SELECT CASE WHEN receita THEN 'd' ELSE 'e' END, mc, -valor FROM resumo
    WHERE NOT fora AND caixa AND mc IS DISTINCT FROM mx
  UNION ALL SELECT CASE WHEN coalesce(mc < mx, true) THEN if(receita, 'g', 'i') ELSE if(receita, 'h', 'j') END, mx,
    valor
    FROM resumo WHERE NOT fora AND caixa AND mc IS DISTINCT FROM mx),
somadas AS (SELECT letra, mes, sum(valor) AS valor FROM letras GROUP BY ALL),
ponte AS (SELECT linha AS letra, mes, sum(valor) AS valor FROM mart.ponte GROUP BY ALL),
meses AS (SELECT DISTINCT mes FROM ponte)
SELECT strftime(m.mes, 'Ponte · %Y-%m · ') || l.letra AS chave, coalesce(s.valor, 0)::DECIMAL(18,2) AS esperado,
  p.valor::DECIMAL(18,2) AS encontrado
FROM meses m CROSS JOIN (SELECT unnest(string_split('abcdefghijk', '')) AS letra) l
LEFT JOIN somadas s ON s.mes = m.mes AND s.letra = l.letra
LEFT JOIN ponte p ON p.mes = m.mes AND p.letra = l.letra
ORDER BY m.mes, l.letra;

-- As somas da própria ponte, e a variação do saldo realizado de todas as contas no mês, até a data-base (S7).
WITH ponte AS (
  SELECT mes, sum(valor) FILTER (linha BETWEEN 'a' AND 'k') AS letras, sum(valor) FILTER (linha IN ('l', 'n', 'o'))
    AS lno,
    sum(valor) FILTER (linha = 'l') AS l, sum(valor) FILTER (linha = 'p') AS p
  FROM mart.ponte GROUP BY mes),
saldos AS (
  SELECT date_trunc('month', dia)::DATE AS mes, sum(valor) AS variacao
  FROM prova.movimentos CROSS JOIN prova.parametros
  WHERE NOT previsto AND dia <= data_base GROUP BY ALL)
SELECT strftime(mes, 'Ponte · %Y-%m · ') || unnest(['l', 'p', 'p = variação do saldo']) AS chave,
  unnest([coalesce(letras, 0), coalesce(lno, 0), coalesce(variacao, 0)])::DECIMAL(18,2) AS esperado,
  unnest([l, p, p])::DECIMAL(18,2) AS encontrado
FROM ponte LEFT JOIN saldos USING (mes) ORDER BY mes;

-- A geração de caixa do Fluxo mensal (R04) é a letra l.
SELECT strftime(mes, 'Ponte · %Y-%m · l = Fluxo mensal') AS chave, sum(f.valor)::DECIMAL(18,2) AS esperado,
  any_value(l)::DECIMAL(18,2) AS encontrado
FROM mart.fluxo_mensal f JOIN (SELECT mes, sum(valor) AS l FROM mart.ponte WHERE linha = 'l' GROUP BY mes) USING (mes)
WHERE f.linha = 'geracao_de_caixa' AND f.nivel = 0 AND f.momento = 'realizado' GROUP BY mes ORDER BY mes;

-- Nenhum mês falta, nenhum se repete: do primeiro mês do histórico ao último mostrado, com o da data-base, uma linha
-- por letra.
WITH ponte AS (
  SELECT min(b.mes) AS de, max(b.mes) AS ate, count(DISTINCT b.mes) AS meses, count(*) AS linhas,
    count(DISTINCT (b.linha, b.mes)) AS distintas, any_value(p.mes) AS corrente, any_value(historico_meses) AS historico
  FROM mart.ponte b CROSS JOIN prova.parametros p)
SELECT unnest(['Ponte · meses', 'Ponte · primeiro mês', 'Ponte · mês da data-base', 'Ponte · linhas distintas'])
  AS chave,
  unnest([datediff('month', de, ate) + 1, datediff('month', de, corrente), 1, linhas]) AS esperado,
  unnest([meses, historico, (corrente BETWEEN de AND ate)::BIGINT, distintas]) AS encontrado
FROM ponte WHERE linhas > 0
