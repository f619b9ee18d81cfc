-- Q08 · Transferência vencida não liquidada
-- Gravidade: alerta
-- Por que importa: A projeção a move hoje; se não vai acontecer, os saldos das contas estão errados.
-- O que fazer: Dar baixa ou excluir a transferência.

-- Pernas de transferência em aberto, previstas para antes da data-base (S3, S6).
SELECT 'linha' AS tipo, linha_id AS id, valor, pessoa_id, data_vencimento AS dia
FROM prova.linhas CROSS JOIN prova.parametros WHERE transferencia AND NOT pago AND data_prevista < data_base
