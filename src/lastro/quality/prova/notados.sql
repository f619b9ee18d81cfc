-- O que a execução notou e os registros publicados não dizem (R15).
--   regra: Q21 (categoria de nome como o de empréstimo, S17), Q35, Q38, Q39, ou F5 (decisão de pagamento em vigor)
--   ordem: número dentro da regra
--   tipo: de que é o id
--   id: o registro
SELECT regra, ordem, tipo, id FROM ops.notados
