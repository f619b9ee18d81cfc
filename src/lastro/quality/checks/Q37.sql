-- Q37 · Saldo de extrato não entendido ou contradito
-- Gravidade: alerta
-- Lados: nenhum
-- Por que importa: O saldo digitado não confere nada, ou dois que se contradizem valem por um só.
-- O que fazer: Corrigir a linha em saldos.csv; de dois saldos da conta no mesmo dia, tirar o errado.
-- Cada um: Por que importa

-- Linhas de saldos.csv que não foram entendidas (S18), saldos que uma origem mais forte contradiz (S23) e faturas de
-- cartão digitadas com sinal positivo, que são dívida.
SELECT 'linha' AS tipo, linha AS id, NULL::DECIMAL(18,2) AS valor, NULL::DATE AS dia,
  arquivo || ', linha ' || linha || ': ' || motivo AS texto
FROM prova.recusados WHERE linha IS NOT NULL AND arquivo ILIKE 'entrada/saldos.csv'
UNION ALL
SELECT 'conta', s.conta_id, s.valor, s.dia,
  'conta ' || s.conta_id || ' em ' || strftime(s.dia, '%d/%m/%Y') || ': vale o de ' || v.origem || ', difere o de '
    || s.origem
FROM prova.extratos s JOIN prova.extratos v
  ON v.conta_id = s.conta_id AND v.dia = s.dia AND v.papel <> 'preterido' AND v.valor <> s.valor
WHERE s.papel = 'preterido'
UNION ALL
SELECT 'conta', s.conta_id, s.valor, s.dia,
  'conta ' || s.conta_id || ' em ' || strftime(s.dia, '%d/%m/%Y') || ': fatura se digita negativa'
FROM prova.extratos s JOIN prova.contas c ON c.conta_id = s.conta_id
WHERE c.cartao AND s.valor > 0
