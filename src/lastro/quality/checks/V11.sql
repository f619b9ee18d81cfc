-- V11 · Lançamentos citados por cobranças vivas existem
-- Severidade: alerta
-- Relatório: R11
-- Só relações internas: os registros são comparados entre si; que Cobranças os mostra é de V12.
-- Por que importa: uma cobrança de um lançamento que não existe mais pede dinheiro que os livros não esperam.
-- O que fazer: o lançamento foi excluído e sua cobrança vive: cancele a cobrança, ou refaça o lançamento.

-- Cada id que uma cobrança viva cita e que nenhum lançamento nem item tem (S12).
SELECT concat_ws(' · ', 'cobrança ' || cobranca_id, 'lançamento ' || lancamento_id) AS chave,
  NULL::VARCHAR AS esperado, CASE WHEN lancamento_id IS NOT NULL THEN 'não existe' END AS encontrado
FROM (SELECT cobranca_id, unnest(coalesce(desconhecidos, [NULL])) AS lancamento_id FROM prova.cobrancas WHERE viva)
ORDER BY chave;

-- O que a capa diz.
SELECT '' AS detalhe, count(*) || CASE WHEN count(*) = 1 THEN ' cobrança pede um lançamento que não existe mais'
    ELSE ' cobranças pedem lançamentos que não existem mais' END AS resumo
FROM prova.cobrancas WHERE viva AND len(desconhecidos) > 0 HAVING count(*) > 0
