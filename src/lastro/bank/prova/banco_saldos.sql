-- Cada saldo que o banco mostrou de uma conta no fim de um dia, também depois da data-base (S20).
--   dia: dia do saldo
--   valor: com sinal
SELECT conta_id, dia, valor FROM banco.saldos WHERE NOT parcial
