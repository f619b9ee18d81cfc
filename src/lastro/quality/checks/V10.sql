-- V10 · Leituras provadas por contagem; linhas por conta = registros recebidos
-- Severidade: erro
-- Relatório: R15
-- Julga: o que foi recebido e lido
-- Sem comparações: só de uma leitura completa do próprio dia
-- Só relações internas: as linhas são comparadas com os registros recebidos; que os relatórios as mostram é de V04.
-- Por que importa: uma listagem lida pela metade, ou uma linha perdida ou dobrada, muda todas as figuras.
-- O que fazer: leia de novo; se a conta que difere é a mesma, relate-o com o nome dela e da figura.

-- A última leitura de cada listagem está provada, e leu o que o serviço contou antes e depois (S13).
WITH ultimas AS (
  SELECT *, lista || coalesce(' · conta ' || conta_id, '') AS nome, (ids_distintos + rejeitadas)::VARCHAR AS lidos
  FROM prova.passadas WHERE NOT starts_with(lista, 'cobrancas:status=')
  QUALIFY row_number() OVER (PARTITION BY lista, conta_id ORDER BY passada DESC) = 1),
figuras AS (
  SELECT nome || unnest(['', ' · contagem_antes', ' · contagem_depois']) AS chave,
    unnest(['provada', contagem_antes::VARCHAR, contagem_depois::VARCHAR]) AS esperado,
    unnest([veredito, lidos, lidos]) AS encontrado FROM ultimas)
SELECT chave, esperado, encontrado FROM figuras WHERE esperado IS NOT NULL ORDER BY chave;

-- Por conta, a soma das linhas é a dos registros como recebidos (S2, S7), e quantas são, e a assinatura de cada data e
-- ligação, que muda se uma data ou ligação troca de linha. Nenhuma conta se repete no controle, e nenhuma linha.
WITH lidas AS (FROM prova.assinaturas WHERE EXISTS (FROM prova.leitura)),
recebidas AS (FROM prova.controle WHERE EXISTS (FROM prova.leitura))
-- Somam: recebidas = lidas por conta_id como coalesce('conta ' || conta_id, 'sem conta'):
--   valor AS 'soma', linhas AS 'qtde', vencimento, pagamento, competencia, categoria, pessoa, transferencia
-- Uma vez: prova.controle por conta_id como 'contas · controle'
WITH lidas AS (FROM prova.assinaturas WHERE EXISTS (FROM prova.leitura)),
recebidas AS (FROM prova.controle WHERE EXISTS (FROM prova.leitura))
SELECT 'total' AS chave, (SELECT coalesce(sum(valor), 0)::DECIMAL(18,2) FROM recebidas) AS esperado,
  (SELECT coalesce(sum(valor), 0)::DECIMAL(18,2) FROM lidas) AS encontrado;
SELECT 'linha ' || linha_id AS chave, 1 AS esperado, count(*) AS encontrado FROM prova.linhas
GROUP BY origem, linha_id HAVING count(*) > 1
