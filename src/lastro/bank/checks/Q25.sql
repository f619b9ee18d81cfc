-- Q25 · Movimento no banco sem lançamento
-- Gravidade: alerta
-- Peso: 2
-- Relatório: R20
-- Por que importa: O dinheiro já se moveu e o sistema não sabe: saldo, resultado e o que está em aberto estão errados.
-- O que fazer: Lançar no serviço, ou dar baixa no título que a sugestão indica; a próxima execução casa os dois.

SELECT 'extrato' AS tipo, extrato_id AS id, valor, dia, historico_ou_descricao AS texto
FROM mart.conciliacao_pendencias WHERE lado = 'Banco'
