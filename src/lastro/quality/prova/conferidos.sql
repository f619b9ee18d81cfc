-- Cada saldo de extrato até a data-base, ao lado do saldo realizado que se calcula para o fim daquele dia (S7, V19).
--   valor: saldo do extrato
--   calculado: nulo antes do controle da conta, ou de conta desconhecida
SELECT s.conta_id, s.dia, s.valor,
  CASE WHEN c.conta_id IS NOT NULL AND (c.inicio IS NULL OR c.inicio <= s.dia)
    THEN (if(c.inicio IS NULL, c.abertura, 0) + coalesce((SELECT sum(m.valor) FROM prova.movimentos m
      WHERE m.conta_id = s.conta_id AND NOT m.previsto AND m.dia <= s.dia), 0))::DECIMAL(18,2) END AS calculado
FROM core.saldos_conferidos s CROSS JOIN prova.parametros p
LEFT JOIN prova.contas c ON c.conta_id = s.conta_id
WHERE s.dia <= p.data_base
