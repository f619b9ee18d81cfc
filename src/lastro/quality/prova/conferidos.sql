-- Cada saldo de extrato até a data-base e de até 13 meses antes, e a âncora, ao lado dos livros no fim do
-- dia (S23); de uma conta sem abertura há variação, e não saldo.
--   valor: saldo do extrato
--   papel: âncora ou conferência
--   atesta: se o acordo diz algo: nunca o da própria âncora, nem o do arquivo de que ela vem enquanto só ele a diz
--   calculado: saldo realizado (S7); nulo antes do controle da conta, ou de conta desconhecida
--   transito: pago até o dia, com cobrança viva que chega ao banco depois, ou não se sabe quando (S23)
WITH a_caminho AS (
  SELECT s.conta_id, s.dia, sum(l.valor) AS valor
  FROM core.extrato_saldos s JOIN core.linhas l ON l.conta_id = s.conta_id AND l.data_pagamento <= s.dia
  JOIN prova.chegadas c ON c.titulo_id = l.titulo_id AND c.chegada > s.dia
  WHERE s.papel <> 'preterido' GROUP BY s.conta_id, s.dia)
SELECT s.conta_id, s.dia, s.valor, s.papel, coalesce(a.valor, 0)::DECIMAL(18,2) AS transito,
  s.papel <> 'âncora' AND coalesce(c.provada, true) AS atesta,
  CASE WHEN c.conta_id IS NOT NULL AND (c.inicio IS NULL OR c.inicio <= s.dia)
    THEN (SELECT coalesce(sum(m.valor), 0) FROM prova.movimentos m
      WHERE m.conta_id = s.conta_id AND NOT m.previsto AND m.dia <= s.dia)::DECIMAL(18,2) END AS calculado
FROM core.extrato_saldos s CROSS JOIN prova.parametros p
LEFT JOIN prova.contas c ON c.conta_id = s.conta_id
LEFT JOIN a_caminho a ON a.conta_id = s.conta_id AND a.dia = s.dia
WHERE s.papel <> 'preterido' AND coalesce(c.com_abertura OR c.inicio IS NOT NULL, true) AND s.dia <= p.data_base
  AND (s.papel = 'âncora' OR s.dia >= p.data_base - INTERVAL 13 MONTH)
