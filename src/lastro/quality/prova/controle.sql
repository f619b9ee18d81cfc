-- O que as linhas de cada conta devem somar, pelos registros como recebidos (S2, S7, V10).
--   transferencia: assinatura das outras pernas
SELECT conta_id, linhas, valor, vencimento, pagamento, competencia, categoria, pessoa, transferencia FROM raw.controle
