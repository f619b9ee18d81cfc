-- Cada linha em aberto no mês em que o lançado da Previsão a põe (S24), sem as de títulos de valor zero e as a receber
-- que são provável baixa esquecida; e os saldos de contas cujo controle começa depois da data-base (S7).
--   habito: move-se quando o pagador costuma pagar ou quando a mesa decidiu, e os registros sozinhos não dizem quando
--   mes: o da projeção (S4); do vencido, nulo
SELECT l.classe, l.categoria_id, (t.tipo = 'R' AND NOT t.transferencia) OR d.id IS NOT NULL AS habito,
  date_trunc('month', t.data_projetada)::DATE AS mes, l.valor
FROM prova.linhas l JOIN prova.titulos t ON t.titulo_id = l.titulo_id
LEFT JOIN prova.notados d ON d.regra = 'F5' AND d.id = l.titulo_id
ANTI JOIN prova.esquecidos e ON e.titulo_id = l.titulo_id AND t.tipo = 'R'
WHERE NOT l.pago AND t.valor <> 0
UNION ALL
SELECT 'Não operacional', NULL, false, date_trunc('month', data_saldo_inicial)::DATE, valor_saldo_inicial
FROM core.contas CROSS JOIN prova.parametros WHERE data_saldo_inicial > data_base
