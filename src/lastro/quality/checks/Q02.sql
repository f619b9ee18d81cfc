-- Q02 · Categoria inativa em lançamento aberto
-- Gravidade: alerta
-- Lados: em aberto
-- Por que importa: O próximo pagamento ou recebimento cairá em categoria abandonada.
-- O que fazer: Trocar a categoria ou reativá-la.

-- Linhas em aberto (S3) de categoria inativa.
SELECT 'linha' AS tipo, l.linha_id AS id, l.valor, l.pessoa_id, l.data_vencimento AS dia
FROM prova.linhas l JOIN prova.categorias c ON c.categoria_id = l.categoria_id
WHERE NOT l.transferencia AND NOT l.pago AND c.conhecida AND NOT c.ativo
