-- Q26 · Baixa sem movimento no banco há mais de 5 dias
-- Gravidade: alerta
-- Peso: 2
-- Relatório: R20
-- Por que importa: O sistema dá por pago ou recebido o que o extrato não mostra: o saldo do livro é outro.
-- O que fazer: Conferir conta e dia da baixa; se o pagamento não saiu, desfazer a baixa no serviço.

SELECT 'titulo' AS tipo, titulo_id AS id, valor, dia
FROM mart.conciliacao_pendencias WHERE lado = 'Livro' AND dias > 5
