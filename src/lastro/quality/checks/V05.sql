-- V05 · A ponte competência x caixa fecha em cada mês com o fluxo e com a variação do saldo
-- Severidade: erro
-- Relatório: R07
-- Por que importa: a ponte explica por que o resultado do mês não é o dinheiro do mês; se não fecha, um dos dois
--   está errado.
-- O que fazer: veja o mês e a letra que diferem; a letra diz quais linhas procurar em Lançamentos (R07).

-- Cada letra da ponte, somada de novo das linhas, sem transferências, pelo mês da competência (S4) e pelo do caixa
-- (S7). Receita e despesa são a natureza (S5); o que a ponte tira de a tem sinal trocado; só k está fora do resultado.
--   a resultado do mês         b receita, c despesa ainda em aberto     f paga fora do controle da conta
--   d receita, e despesa do mês paga noutro mês                         k não operacional pago no mês
--   g receita, i despesa de competência anterior paga no mês            h receita, j despesa de competência posterior
-- E a resposta em cinco linhas (ponte_resumo), cada uma de novo das linhas, sem as letras: o que entrou dos clientes,
-- de competência do mês ou de antes, menos o que se faturou; o mesmo do que se pagou; o que é fora do resultado; o
-- adiantado menos o que foi pago fora do controle; e do que mudou no saldo, o que não é caixa de nada disso.
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
  SELECT 'a' AS linha, mes_competencia AS mes, valor FROM grupos WHERE NOT fora
  UNION ALL SELECT CASE WHEN receita THEN 'b' ELSE 'c' END, mes_competencia, -valor FROM grupos
    WHERE NOT fora AND NOT pago
  UNION ALL SELECT CASE WHEN receita THEN 'd' ELSE 'e' END, mes_competencia, -valor FROM noutro_mes
  UNION ALL SELECT 'f', mes_competencia, -valor FROM grupos WHERE NOT fora AND pago AND NOT caixa
  UNION ALL SELECT CASE WHEN receita THEN 'g' ELSE 'i' END, mes_caixa, valor FROM noutro_mes WHERE anterior
  UNION ALL SELECT CASE WHEN receita THEN 'h' ELSE 'j' END, mes_caixa, valor FROM noutro_mes WHERE NOT anterior
  UNION ALL SELECT 'k', mes_caixa, valor FROM grupos WHERE fora
  UNION ALL SELECT unnest(string_split('abcdefghijk', '')), mes, 0 FROM (SELECT DISTINCT mes FROM mart.ponte)),
mudancas AS (
  SELECT date_trunc('month', dia)::DATE AS mes, valor FROM prova.movimentos WHERE NOT previsto),
somas AS (
  SELECT 'resultado' AS linha, mes_competencia AS mes, valor FROM grupos WHERE NOT fora
  UNION ALL SELECT CASE WHEN receita THEN 'clientes' ELSE 'pagamentos' END, mes_caixa, valor FROM grupos
    WHERE NOT fora AND caixa AND coalesce(mes_competencia <= mes_caixa, true)
  UNION ALL SELECT CASE WHEN receita THEN 'clientes' ELSE 'pagamentos' END, mes_competencia, -valor FROM grupos
    WHERE NOT fora AND (caixa OR NOT pago)
  UNION ALL SELECT 'nao_operacional', mes_caixa, valor FROM grupos WHERE fora AND caixa
  UNION ALL SELECT 'adiantamentos', mes_caixa, valor FROM grupos
    WHERE NOT fora AND caixa AND mes_competencia > mes_caixa
  UNION ALL SELECT 'adiantamentos', mes_competencia, -valor FROM grupos WHERE NOT fora AND pago AND NOT caixa
  UNION ALL SELECT 'implantados', mes_caixa, -valor FROM grupos WHERE caixa
  UNION ALL SELECT unnest(['caixa', 'implantados']), mes, valor FROM mudancas)
-- Somam: letras onde mes IN (SELECT mes FROM mart.ponte) = mart.ponte onde linha BETWEEN 'a' AND 'k' por mes, linha
--   como strftime(mes, 'Ponte · %Y-%m · ') || linha: valor, vezes
-- Somam: mudancas >= mart.ponte onde linha = 'p' por mes como strftime(mes, 'Ponte · %Y-%m · p = variação do saldo'):
--   valor
-- Somam: somas onde mes IN (SELECT mes FROM mart.ponte) = mart.ponte_resumo onde nivel = 0 por mes, linha
--   como strftime(mes, 'Ponte em cinco linhas · %Y-%m · ') || linha: valor

-- A ponte fecha: l (geração de caixa) é a soma de a até k; p (variação do saldo) é l mais n (transferências) mais o
-- (saldos implantados), e é o que mudou no saldo realizado de todas as contas no mês, até a data-base (S7).
WITH ponte AS (
  SELECT mes, coalesce(sum(valor) FILTER (linha BETWEEN 'a' AND 'k'), 0) AS de_a_ate_k,
    coalesce(sum(valor) FILTER (linha IN ('l', 'n', 'o')), 0) AS l_mais_n_mais_o,
    sum(valor) FILTER (linha = 'l') AS l, sum(valor) FILTER (linha = 'p') AS p
  FROM mart.ponte GROUP BY mes)
-- Fecham: ponte como strftime(mes, 'Ponte · %Y-%m'): de_a_ate_k = l AS 'l', l_mais_n_mais_o = p AS 'p'
WITH cinco AS (
  SELECT mes, sum(valor) FILTER (nivel = 0 AND linha <> 'caixa') AS soma, sum(valor) FILTER (linha = 'caixa') AS caixa
  FROM mart.ponte_resumo GROUP BY mes)
-- Fecham: cinco como strftime(mes, 'Ponte em cinco linhas · %Y-%m'): soma = caixa AS 'soma = caixa'

-- A geração de caixa do Fluxo mensal (R04) é a letra l.
WITH geracao AS (
  SELECT mes, valor FROM mart.fluxo_mensal
  WHERE linha = 'geracao_de_caixa' AND nivel = 0 AND momento = 'realizado' AND mes IN (SELECT mes FROM mart.ponte))
-- Somam: geracao = mart.ponte onde linha = 'l' AND mes IN (SELECT mes FROM geracao) por mes
--   como strftime(mes, 'Ponte · %Y-%m · l = Fluxo mensal'): valor

-- Nenhum mês falta, nenhum se repete: do primeiro mês do histórico ao último mostrado, com o da data-base, uma linha
-- por letra.
WITH ponte AS (
  SELECT min(b.mes) AS de, max(b.mes) AS ate, count(DISTINCT b.mes) AS meses, any_value(p.mes) AS corrente,
    any_value(historico_meses) AS historico
  FROM mart.ponte b CROSS JOIN prova.parametros p HAVING count(*) > 0)
-- Fecham: ponte como 'Ponte': datediff('month', de, ate) + 1 = meses AS 'meses',
--   datediff('month', de, corrente) = historico AS 'primeiro mês',
--   1 = (corrente BETWEEN de AND ate)::BIGINT AS 'mês da data-base'
-- Uma vez: mart.ponte por linha em mes como 'Ponte · linhas distintas'
-- Uma vez: mart.ponte_resumo por linha, categoria_id em mes como 'Ponte em cinco linhas · linhas distintas'

-- Abaixo da quarta linha: as três maiores categorias do último mês encerrado, e o que sobra delas.
WITH fora AS (
  SELECT categoria_id, date_trunc('month', data_pagamento)::DATE AS mes, sum(valor) AS valor
  FROM prova.linhas WHERE fora_resultado AND caixa AND NOT transferencia GROUP BY ALL),
maiores AS (
  SELECT categoria_id FROM fora CROSS JOIN prova.parametros p WHERE fora.mes = p.mes - INTERVAL 1 MONTH AND valor <> 0
  ORDER BY abs(valor) DESC, categoria_id LIMIT 3),
esperadas AS (
  SELECT m.categoria_id, mes, valor FROM fora LEFT JOIN maiores m USING (categoria_id)
  WHERE EXISTS (FROM maiores) AND mes IN (SELECT mes FROM mart.ponte))
-- Somam: esperadas = mart.ponte_resumo onde nivel = 1 por mes, categoria_id
--   como strftime(mes, 'Ponte em cinco linhas · %Y-%m · ') || coalesce('categoria ' || categoria_id, 'demais'): valor
