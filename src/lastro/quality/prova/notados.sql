-- O que a execução notou e os registros publicados não dizem (R15).
--   regra: Q09 (recorte sem a outra perna), Q21 (nome de empréstimo), Q35, Q38, Q39, Q42, F5 (decidido), F3 (moveu), F8 (não repassada), S20 (não)
--   ordem: número dentro da regra
--   tipo: de que é o id
--   id: o registro
SELECT regra, ordem, tipo, id FROM ops.notados
