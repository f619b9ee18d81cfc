-- Q11 · Conta sem saldo inicial
-- Gravidade: alerta
-- Por que importa: O que se mostra é a variação, não o saldo.
-- O que fazer: Digitar o que diz um extrato dela: lastro saldos --em DIA CONTA=VALOR.

-- Contas sem saldo inicial (S7, S23); num recorte de parte do que uma conta movimenta não há saldo que faltasse.
SELECT 'conta' AS tipo, conta_id AS id FROM prova.contas
WHERE NOT com_abertura AND conta_id IS NOT NULL AND origem IS DISTINCT FROM 'recorte'
