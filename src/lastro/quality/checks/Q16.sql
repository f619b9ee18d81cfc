-- Q16 · Vencido há mais de 180 dias
-- Gravidade: alerta
-- Peso: 2
-- Lados: em aberto
-- Por que importa: Dificilmente será pago: a carteira parece maior do que é.
-- O que fazer: Renegociar, baixar como perda ou excluir.

-- Títulos vencidos (S8) há mais de 180 dias.
SELECT 'titulo' AS tipo, titulo_id AS id, valor, pessoa_id, data_vencimento AS dia
FROM prova.titulos WHERE vencido AND dias_de_atraso > 180
