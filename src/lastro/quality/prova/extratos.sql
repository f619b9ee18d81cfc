-- Cada saldo de extrato que uma pessoa informou, também depois da data-base (S23).
--   valor: o que o banco mostrou ao fim do dia
--   origem: arquivo, mesa, config ou ofx
SELECT conta_id, dia, valor, origem, papel FROM core.extrato_saldos
