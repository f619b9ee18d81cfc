-- V11 · Lançamentos citados por cobranças vivas existem
-- Severidade: alerta
-- Relatório: R11
-- Julga: o que os relatórios mostram
-- Por que importa: uma cobrança de um lançamento que não existe mais pede dinheiro que os livros não esperam.
-- O que fazer: o lançamento foi excluído e sua cobrança vive: cancele a cobrança, ou refaça o lançamento.

-- Cada id que uma cobrança viva cita e que nenhum lançamento nem item tem (S12).
SELECT 'cobranças vivas' AS chave, NULL::VARCHAR AS esperado, NULL::VARCHAR AS encontrado, count(*) AS comparacoes
FROM prova.cobrancas WHERE viva HAVING count(*) > 0
UNION ALL
SELECT 'cobrança ' || cobranca_id || ' · lançamento ' || lancamento_id, NULL, 'não existe', 1
FROM (SELECT cobranca_id, unnest(desconhecidos) AS lancamento_id FROM prova.cobrancas WHERE viva)
ORDER BY chave;

-- As divergências M4 de Cobranças (R11 g): cada cobrança uma vez, com seu valor, e nenhuma outra.
SELECT 'Divergências · M4 · cobrança ' || cobranca_id AS chave, c.valor AS esperado,
  CASE WHEN m.vezes = 1 THEN m.valor END AS encontrado
FROM (SELECT cobranca_id, valor FROM prova.cobrancas WHERE list_contains(divergencias, 'M4')) c
FULL JOIN (
  SELECT cobranca_id, any_value(valor) AS valor, count(*) AS vezes FROM mart.cobrancas_divergencias WHERE tipo = 'M4'
  GROUP BY cobranca_id) m USING (cobranca_id)
ORDER BY cobranca_id
