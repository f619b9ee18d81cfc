-- O que a execução notou e os registros publicados não dizem (R15). S26, R21 e Q33 são o que a mesa respondeu de um
-- título a pagar: pago, em parcelamento, devo.
--   regra: Q09 (recorte sem a outra perna), Q21 (nome de empréstimo), Q35, Q38, Q39, Q42, R24 (categoria de dívida), F1 (prometido inteiro), F5 (decidido), F3 (moveu), F4 (devolvido), F8 (não repassada), S20 (não), S26, R21, Q33
--   tipo: de que é o id
SELECT regra, ordem, tipo, id FROM ops.notados
