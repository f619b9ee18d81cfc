-- V21 · Lançamentos de saldo inicial concordam com o configurado; no máximo um por conta e data
-- Severidade: erro
-- Relatório: R15
-- Julga: o que foi recebido e lido
-- Sem comparações: só de uma leitura completa do próprio dia
-- Só relações internas: o lançamento e a configuração são os dois lados, e a carga os comparou.
-- Por que importa: o saldo inicial está em todo saldo da conta; o que vale é o do lançamento.
-- O que fazer: corrija a configuração, ou tire o id de saldo_inicial_lancamentos se é um lançamento comum; um só por
--   conta.

-- Cada conta cujo saldo inicial é dito de dois modos (S7).
SELECT chave, esperado, encontrado FROM (
  SELECT 'saldos iniciais' AS chave, NULL::VARCHAR AS esperado, NULL::VARCHAR AS encontrado, NULL::BIGINT AS conta_id
  UNION ALL
  SELECT coalesce('conta ' || conta_id, 'sem conta'), NULL, motivo, coalesce(conta_id, 0) FROM prova.conflitos)
ORDER BY conta_id NULLS FIRST, encontrado
