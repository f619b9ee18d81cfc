-- Q42 · Pagamento que mudou depois da aprovação
-- Gravidade: alerta
-- Peso: 1
-- Lados: em aberto
-- Por que importa: Aprovou-se o que pagamentos mostrava, e se pagaria mais, a outro, de outra conta ou noutro dia.
-- O que fazer: Em pagamentos, ver em Decisão o que mudou, conferir com quem lançou, e aprovar de novo.

SELECT n.tipo, n.id, t.valor, t.pessoa_id, t.data_vencimento AS dia
FROM prova.notados n JOIN prova.titulos t ON t.titulo_id = n.id WHERE n.regra = 'Q42'
