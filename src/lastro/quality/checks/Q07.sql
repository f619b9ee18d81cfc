-- Q07 · Pagamento automático sem baixa
-- Gravidade: alerta
-- Lados: em aberto
-- Por que importa: Deveria ter sido baixado no vencimento.
-- O que fazer: Conferir no extrato e dar baixa, ou tirar a baixa automática.

-- Títulos de baixa automática, em aberto e vencidos; só no dia da extração, pois de outro dia não se sabe (S10).
SELECT 'titulo' AS tipo, titulo_id AS id, valor, pessoa_id, data_vencimento AS dia
FROM prova.titulos CROSS JOIN prova.parametros
WHERE data_base = data_extracao AND NOT transferencia AND pagamento_automatico AND NOT pago
  AND data_vencimento < data_base
