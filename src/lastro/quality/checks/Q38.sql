-- Q38 · Decisão de pagamento vencida
-- Gravidade: informação
-- Lados: em aberto
-- Por que importa: Decidiu-se pagar ou adiar até um dia que passou, e o título segue em aberto.
-- O que fazer: Em pagamentos, decidir de novo (estão no alto de Decidir); se foi pago, dar baixa no sistema.

SELECT n.tipo, n.id, t.valor, t.pessoa_id, t.data_vencimento AS dia
FROM prova.notados n JOIN prova.titulos t ON t.titulo_id = n.id WHERE n.regra = 'Q38'
