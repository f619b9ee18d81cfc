-- Cada conta cujo saldo inicial é dito de dois modos (S7).
SELECT c.conta_id, c.motivo, c.lancamentos
FROM ops.saldos_iniciais_conflitos c JOIN ops.relatorio r ON r.execucao_id = c.execucao_id
