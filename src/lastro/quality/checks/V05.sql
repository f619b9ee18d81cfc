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
  SELECT date_trunc('month', data_competencia_ef)::DATE AS mes_competencia,
    CASE WHEN caixa THEN date_trunc('month', data_pagamento)::DATE END AS mes_caixa,
    natureza = 'R' AS receita, pago, caixa, fora_resultado AS fora, sum(valor) AS valor
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
;

-- A resposta em cinco linhas (ponte_resumo), de todos os meses, cada uma de novo das linhas, sem as letras: o que
-- entrou dos clientes, de competência do mês ou de antes, menos o que se faturou; o mesmo do que se pagou; o que é
-- fora do resultado; o adiantado menos o que foi pago fora do controle; e do que mudou no saldo, o que não é caixa
-- de nada disso.
WITH linhas AS (
  SELECT date_trunc('month', data_competencia_ef)::DATE AS mc,
    CASE WHEN caixa THEN date_trunc('month', data_pagamento)::DATE END AS mx,
    CASE natureza WHEN 'R' THEN 'clientes' ELSE 'pagamentos' END AS lado, fora_resultado AS fora,
    pago, caixa, valor
  FROM prova.linhas WHERE NOT transferencia),
somas AS (
  SELECT 'resultado' AS linha, mc AS mes, valor FROM linhas WHERE NOT fora
  UNION ALL SELECT lado, mx, valor FROM linhas WHERE NOT fora AND caixa AND coalesce(mc <= mx, true)
  UNION ALL SELECT lado, mc, -valor FROM linhas WHERE NOT fora AND (caixa OR NOT pago)
  UNION ALL SELECT 'nao_operacional', mx, valor FROM linhas WHERE fora AND caixa
  UNION ALL SELECT 'adiantamentos', mx, valor FROM linhas WHERE NOT fora AND caixa AND mc > mx
  UNION ALL SELECT 'adiantamentos', mc, -valor FROM linhas WHERE NOT fora AND pago AND NOT caixa
  UNION ALL SELECT 'implantados', mx, -valor FROM linhas WHERE caixa
  UNION ALL SELECT unnest(['caixa', 'implantados']), date_trunc('month', dia)::DATE, valor
    FROM prova.movimentos CROSS JOIN prova.parametros WHERE NOT previsto AND dia <= data_base),
mostradas AS (SELECT linha, mes, sum(valor) AS valor FROM mart.ponte_resumo WHERE nivel = 0 GROUP BY ALL)
SELECT strftime(n.mes, 'Ponte em cinco linhas · %Y-%m · ') || l.linha AS chave,
  coalesce(s.valor, 0)::DECIMAL(18,2) AS esperado, coalesce(m.valor, 0)::DECIMAL(18,2) AS encontrado
FROM (SELECT DISTINCT mes FROM mart.ponte) n CROSS JOIN (SELECT DISTINCT linha FROM somas) l
LEFT JOIN (SELECT linha, mes, sum(valor) AS valor FROM somas GROUP BY ALL) s ON s.mes = n.mes AND s.linha = l.linha
LEFT JOIN mostradas m ON m.mes = n.mes AND m.linha = l.linha
ORDER BY n.mes, l.linha;
SELECT strftime(mes, 'Ponte em cinco linhas · %Y-%m · soma = caixa') AS chave,
  sum(valor) FILTER (nivel = 0 AND linha <> 'caixa')::DECIMAL(18,2) AS esperado,
  sum(valor) FILTER (linha = 'caixa')::DECIMAL(18,2) AS encontrado
FROM mart.ponte_resumo GROUP BY mes ORDER BY mes;

-- Abaixo da quarta linha: as três maiores categorias do último mês encerrado, e o que sobra delas.
WITH fora AS (
  SELECT categoria_id, date_trunc('month', data_pagamento)::DATE AS mes, sum(valor) AS valor
  FROM prova.linhas WHERE fora_resultado AND caixa AND NOT transferencia GROUP BY ALL),
maiores AS (
  SELECT categoria_id FROM fora CROSS JOIN prova.parametros p WHERE fora.mes = p.mes - INTERVAL 1 MONTH AND valor <> 0
  ORDER BY abs(valor) DESC, categoria_id LIMIT 3),
esperadas AS (
  SELECT m.categoria_id, mes, sum(valor) AS valor
  FROM fora LEFT JOIN maiores m USING (categoria_id) WHERE EXISTS (FROM maiores) GROUP BY ALL),
mostradas AS (
  SELECT categoria_id, mes, sum(valor) AS valor, count(*) AS linhas
  FROM mart.ponte_resumo WHERE nivel = 1 GROUP BY ALL)
SELECT strftime(coalesce(e.mes, m.mes), 'Ponte em cinco linhas · %Y-%m · ')
    || coalesce('categoria ' || coalesce(e.categoria_id, m.categoria_id), 'demais') AS chave,
  unnest([coalesce(e.valor, 0), 1])::DECIMAL(18,2) AS esperado,
  unnest([coalesce(m.valor, 0), coalesce(m.linhas, 1)])::DECIMAL(18,2) AS encontrado
FROM (FROM esperadas WHERE mes IN (SELECT mes FROM mart.ponte)) e FULL JOIN mostradas m
  ON m.mes = e.mes AND m.categoria_id IS NOT DISTINCT FROM e.categoria_id
ORDER BY 1
;
SELECT unnest(['Ponte em cinco linhas · linhas', 'Ponte em cinco linhas · linhas distintas']) AS chave,
  unnest([meses * cada, meses * cada]) AS esperado, unnest([linhas, distintas]) AS encontrado
FROM (SELECT count(*) AS linhas, count(DISTINCT (linha, categoria_id)) AS cada,
    count(DISTINCT (linha, categoria_id, mes)) AS distintas FROM mart.ponte_resumo)
CROSS JOIN (SELECT count(DISTINCT mes) AS meses FROM mart.ponte)
