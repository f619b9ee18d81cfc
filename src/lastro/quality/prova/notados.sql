-- O que a execução notou e os registros publicados não dizem (R15).
--   regra: Q21 (nome como o de empréstimo, S17), Q35, Q38, Q39, F5 (decidido), F3 (o banco moveu), S20 (não pagou)
--   ordem: número dentro da regra
--   tipo: de que é o id
--   id: o registro
SELECT regra, ordem, tipo, id FROM ops.notados
