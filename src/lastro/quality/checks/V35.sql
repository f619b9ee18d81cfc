-- V35 · Todo lançamento, item e cobrança pôde ser lido
-- Severidade: alerta
-- Peso: 2
-- Relatório: R15
-- Julga: o que foi recebido e lido
-- Sem comparações: só de uma leitura completa do próprio dia
-- Só relações internas: o que se rejeitou só a carga sabe; R15 o lista, e nenhuma figura o tem.
-- Por que importa: o que não pôde ser lido falta em toda soma.
-- O que fazer: veja em Rejeitados o motivo e o lugar, e corrija o registro no serviço.

-- Cada registro que não pôde ser lido; os outros, juntos.
SELECT 'registros lidos' AS chave, 0 AS esperado, 0 AS encontrado,
  greatest(recebidos - (SELECT count(*) FROM prova.rejeitados), 1) AS comparacoes
FROM prova.leitura
UNION ALL
SELECT lista || ' ' || id, 0, 1, 1 FROM prova.rejeitados
UNION ALL
SELECT 'total', 0, count(*), 0 FROM prova.rejeitados
ORDER BY chave;

-- Acima de um em mil, os números já não merecem confiança.
SELECT n || ' de ' || recebidos || ' registros não puderam ser lidos e faltam em toda soma' AS detalhe,
  CASE WHEN 1000 * n > recebidos AND recebidos > 0 THEN 'erro' END AS severidade
FROM prova.leitura CROSS JOIN (SELECT count(*) AS n FROM prova.rejeitados) WHERE n > 0
