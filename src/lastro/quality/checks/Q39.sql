-- Q39 · Texto da mesa não entendido
-- Gravidade: alerta
-- Por que importa: Devia ser uma data ou um valor e não se lê como tal: não conta em promessa, decisão nem projeção.
-- O que fazer: Em cobranca ou pagamentos, corrigir as células em vermelho: data como 16/03/2026, valor como 1500,00.

-- As células da mesa, cada uma com a pessoa, o título ou a conta de sua linha (S18).
SELECT tipo, id, 'célula ' || ordem AS texto FROM prova.notados WHERE regra = 'Q39'
