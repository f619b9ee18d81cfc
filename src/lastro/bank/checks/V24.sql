-- V24 · Entre dois saldos do banco, as linhas somam a diferença
-- Severidade: alerta
-- Peso: 2
-- Relatório: R20
-- Sem comparações: nenhuma conta com dois saldos e extrato entre eles
-- Só relações internas: linhas e saldos são do banco; o que V25 e V26 comparam com R20 segue deles.
-- Por que importa: falta uma linha, ou o banco assina os valores de outro jeito; a conciliação não se prova.
-- O que fazer: baixe de novo o extrato do período; se persistir, confira o sinal das linhas com o do site do banco.

-- Dois saldos seguidos de uma conta que o banco mostrou, com extrato entre eles (S20); a véspera de que segue a
-- abertura não é um deles: ela vem das próprias linhas.
WITH saldos AS (
  SELECT s.conta_id, s.dia, s.valor, lag(s.dia) OVER de AS antes, s.valor - lag(s.valor) OVER de AS mudou
  FROM prova.banco_saldos s CROSS JOIN prova.parametros p WHERE s.dia <= p.data_base
  WINDOW de AS (PARTITION BY s.conta_id ORDER BY s.dia))
SELECT 'conta ' || s.conta_id || ' · de ' || s.antes || ' a ' || s.dia AS chave, s.mudou::DECIMAL(18,2) AS esperado,
  coalesce((SELECT sum(l.valor) FROM prova.banco_linhas l
    WHERE l.conta_id = s.conta_id AND l.conta_em > s.antes AND l.conta_em <= s.dia), 0)::DECIMAL(18,2) AS encontrado
FROM saldos s JOIN prova.banco_blocos b
  ON b.conta_id = s.conta_id AND b.inicio <= s.antes + 1 AND b.fim >= s.dia
ORDER BY s.conta_id, s.dia
