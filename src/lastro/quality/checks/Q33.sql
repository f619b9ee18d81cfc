-- Q33 · Possível baixa esquecida
-- Gravidade: alerta
-- Peso: 2
-- Lados: em aberto
-- Por que importa: Aberto há mais de 30 dias com uma ocorrência posterior já paga: o vencido parece maior do que é.
-- O que fazer: Conferir no extrato; se foi pago, dar baixa com a data do pagamento, ou responder em Já pagos.

-- O que a mesa de pagamentos respondeu não se pergunta mais (S26).
SELECT 'titulo' AS tipo, titulo_id AS id, valor, pessoa_id, data_vencimento AS dia FROM prova.esquecidos
WHERE titulo_id NOT IN (SELECT id FROM prova.notados WHERE regra IN ('S26', 'R21', 'Q33'))
