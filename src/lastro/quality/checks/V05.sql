-- V05 · A ponte competência x caixa fecha em cada mês com o fluxo e com a variação do saldo
-- Severidade: erro
-- Relatório: R07
-- Julga: o que os relatórios mostram
-- Por que importa: a ponte explica por que o resultado do mês não é o dinheiro do mês; se não fecha, um dos dois
--   está errado.
-- O que fazer: veja o mês e a letra que diferem; a letra diz quais linhas procurar em Lançamentos (R07).

-- Cada letra da ponte, somada de novo das linhas, sem transferências, pelo mês da competência (S4) e pelo do caixa
-- (S7). Receita e despesa são a natureza (S5); o que a ponte tira de a tem sinal trocado; só k está fora do resultado.
--   a resultado do mês         b receita, c despesa ainda em aberto     f paga fora do controle da conta
--   d receita, e despesa do mês paga noutro mês                         k não operacional pago no mês
--   g receita, i despesa de competência anterior paga no mês            h receita, j despesa de competência posterior
WITH grupos AS (
  SELECT date_trunc('month', competencia)::DATE AS mes_competencia,
    CASE WHEN caixa THEN date_trunc('month', data_pagamento)::DATE END AS mes_caixa,
    natureza = 'R' AS receita, pago, caixa, fora, sum(valor) AS valor
  FROM prova.linhas WHERE NOT transferencia GROUP BY ALL),
noutro_mes AS (
  -- Sem competência (competencia_nula = excluir) uma linha conta como de um mês anterior.
  SELECT *, coalesce(mes_competencia < mes_caixa, true) AS anterior FROM grupos
  WHERE NOT fora AND caixa AND mes_competencia IS DISTINCT FROM mes_caixa),
letras AS (
  SELECT 'a' AS letra, mes_competencia AS mes, valor FROM grupos WHERE NOT fora
  UNION ALL SELECT CASE WHEN receita THEN 'b' ELSE 'c' END, mes_competencia, -valor FROM grupos
    WHERE NOT fora AND NOT pago
  UNION ALL SELECT CASE WHEN receita THEN 'd' ELSE 'e' END, mes_competencia, -valor FROM noutro_mes
  UNION ALL SELECT 'f', mes_competencia, -valor FROM grupos WHERE NOT fora AND pago AND NOT caixa
  UNION ALL SELECT CASE WHEN receita THEN 'g' ELSE 'i' END, mes_caixa, valor FROM noutro_mes WHERE anterior
  UNION ALL SELECT CASE WHEN receita THEN 'h' ELSE 'j' END, mes_caixa, valor FROM noutro_mes WHERE NOT anterior
  UNION ALL SELECT 'k', mes_caixa, valor FROM grupos WHERE fora),
somadas AS (SELECT letra, mes, sum(valor) AS valor FROM letras GROUP BY ALL),
mostradas AS (SELECT linha AS letra, mes, sum(valor) AS valor FROM mart.ponte GROUP BY ALL),
meses AS (SELECT DISTINCT mes FROM mostradas)
SELECT strftime(n.mes, 'Ponte · %Y-%m · ') || l.letra AS chave, coalesce(s.valor, 0)::DECIMAL(18,2) AS esperado,
  m.valor::DECIMAL(18,2) AS encontrado
FROM meses n CROSS JOIN (SELECT unnest(string_split('abcdefghijk', '')) AS letra) l
LEFT JOIN somadas s ON s.mes = n.mes AND s.letra = l.letra
LEFT JOIN mostradas m ON m.mes = n.mes AND m.letra = l.letra
ORDER BY n.mes, l.letra;

-- A ponte fecha: l (geração de caixa) é a soma de a até k; p (variação do saldo) é l mais n (transferências) mais o
-- (saldos implantados), e é o que mudou no saldo realizado de todas as contas no mês, até a data-base (S7).
WITH ponte AS (
  SELECT mes, sum(valor) FILTER (linha BETWEEN 'a' AND 'k') AS de_a_ate_k,
    sum(valor) FILTER (linha IN ('l', 'n', 'o')) AS l_mais_n_mais_o,
    sum(valor) FILTER (linha = 'l') AS l, sum(valor) FILTER (linha = 'p') AS p
  FROM mart.ponte GROUP BY mes),
saldos AS (
  SELECT date_trunc('month', dia)::DATE AS mes, sum(valor) AS variacao
  FROM prova.movimentos CROSS JOIN prova.parametros
  WHERE NOT previsto AND dia <= data_base GROUP BY ALL)
SELECT strftime(mes, 'Ponte · %Y-%m · ') || unnest(['l', 'p', 'p = variação do saldo']) AS chave,
  unnest([coalesce(de_a_ate_k, 0), coalesce(l_mais_n_mais_o, 0), coalesce(variacao, 0)])::DECIMAL(18,2) AS esperado,
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
SELECT unnest([
    'Ponte · meses', 'Ponte · primeiro mês', 'Ponte · mês da data-base', 'Ponte · linhas distintas']) AS chave,
  unnest([datediff('month', de, ate) + 1, datediff('month', de, corrente), 1, linhas]) AS esperado,
  unnest([meses, historico, (corrente BETWEEN de AND ate)::BIGINT, distintas]) AS encontrado
FROM ponte WHERE linhas > 0
