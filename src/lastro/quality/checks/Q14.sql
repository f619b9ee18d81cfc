-- Q14 · Sinal contrário à categoria
-- Gravidade: informação
-- Por que importa: Estorno ou devolução: reduz a própria categoria em vez de ir para a outra.
-- O que fazer: Conferir o sinal; se for estorno, nada a fazer.

-- Linhas negativas em categoria de receita (tipo 2), positivas em categoria de despesa (tipo 1).
SELECT 'linha' AS tipo, l.linha_id AS id, l.valor, l.pessoa_id, l.data_vencimento AS dia
FROM prova.linhas l JOIN prova.categorias c ON c.categoria_id = l.categoria_id
WHERE NOT l.transferencia AND ((c.tipo_categoria_id = 2 AND l.valor < 0) OR (c.tipo_categoria_id = 1 AND l.valor > 0))
