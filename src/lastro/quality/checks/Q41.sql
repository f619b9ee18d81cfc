-- Q41 · Parcelamento com risco de exclusão
-- Gravidade: alerta
-- Peso: 1
-- Lados: em aberto
-- Por que importa: Com três parcelas atrasadas um parcelamento de tributos pode cair, e a dívida volta inteira.
-- O que fazer: Pagar ao menos as mais antigas, ou falar hoje com quem cuida do parcelamento.

SELECT 'titulo' AS tipo, titulo_id AS id, sum(valor) AS valor, pessoa_id, data_vencimento AS dia
FROM (SELECT *, count(DISTINCT titulo_id) FILTER (vencido) OVER (PARTITION BY grupo_id) AS atrasadas FROM prova.devidos
  WHERE parcelada AND NOT respondida AND NOT quitada)
WHERE vencido AND atrasadas >= 3 GROUP BY titulo_id, pessoa_id, data_vencimento
