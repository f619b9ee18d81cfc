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

-- Por conta, a soma das linhas é a dos registros como recebidos (S2, S7).
WITH pares AS (
  SELECT coalesce(c.conta_id, l.conta_id) AS conta, coalesce(c.valor, 0) AS esperado, coalesce(l.valor, 0) AS encontrado
  FROM prova.controle c FULL JOIN prova.assinaturas l ON l.conta_id IS NOT DISTINCT FROM c.conta_id
  WHERE EXISTS (FROM prova.leitura))
SELECT coalesce('conta ' || conta, 'sem conta') || ' · soma' AS chave, esperado, encontrado FROM pares
UNION ALL
SELECT 'total', coalesce(sum(esperado), 0)::DECIMAL(18,2), coalesce(sum(encontrado), 0)::DECIMAL(18,2) FROM pares
ORDER BY chave;

-- E quantas são, e a assinatura de cada data e ligação, que muda se uma data ou ligação troca de linha.
SELECT coalesce('conta ' || coalesce(c.conta_id, l.conta_id), 'sem conta') || ' · ' || unnest(['qtde', 'vencimento',
    'pagamento', 'competencia', 'categoria', 'pessoa', 'transferencia']) AS chave,
  coalesce(unnest([
    c.linhas, c.vencimento, c.pagamento, c.competencia, c.categoria, c.pessoa, c.transferencia]), 0) AS esperado,
  coalesce(unnest([
    l.linhas, l.vencimento, l.pagamento, l.competencia, l.categoria, l.pessoa, l.transferencia]), 0) AS encontrado
FROM prova.controle c FULL JOIN prova.assinaturas l ON l.conta_id IS NOT DISTINCT FROM c.conta_id
WHERE EXISTS (FROM prova.leitura) ORDER BY c.conta_id;

-- Nenhuma linha se repete, e nenhuma conta do controle.
SELECT 'linha ' || linha_id AS chave, 1 AS esperado, count(*) AS encontrado FROM prova.linhas
GROUP BY origem, linha_id HAVING count(*) > 1
UNION ALL
SELECT coalesce('conta ' || conta_id, 'sem conta') || ' · controle', 1, count(*) FROM prova.controle
GROUP BY conta_id HAVING count(*) > 1 ORDER BY chave
