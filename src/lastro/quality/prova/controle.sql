-- O que as linhas de cada conta devem somar, pelos registros como recebidos (S2, S7, V10).
--   linhas: quantas são
--   vencimento: assinatura das datas de vencimento
--   pagamento: assinatura das datas de pagamento
--   competencia: assinatura das datas de competência
--   categoria: assinatura das categorias
--   pessoa: assinatura das pessoas
--   transferencia: assinatura das outras pernas
SELECT conta_id, linhas, valor, vencimento, pagamento, competencia, categoria, pessoa, transferencia FROM raw.controle
