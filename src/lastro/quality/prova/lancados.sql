-- Cada linha em aberto no mês em que o lançado da Previsão a põe (S24), sem as de títulos de valor zero e as que são
-- provável baixa esquecida, a menos que o banco a negue (S20); e os saldos de contas cujo controle começa depois da data-base (S7).
--   classe: Entradas, Saídas, Não operacional ou Transferências (S5)
--   habito: de um título a receber: move-se quando o pagador costuma pagar, e os registros sozinhos não dizem quando
--   mes: o da projeção (S4), do vencido a pagar o da data-base; de nenhum, nulo
SELECT l.classe, l.categoria_id, t.tipo = 'R' AND NOT t.transferencia AS habito,
  date_trunc('month', CASE WHEN t.vencido AND t.tipo = 'P' THEN p.data_base ELSE t.projetada END)::DATE AS mes, l.valor
FROM prova.linhas l JOIN prova.titulos t ON t.titulo_id = l.titulo_id CROSS JOIN prova.parametros p
ANTI JOIN (FROM prova.esquecidos WHERE valor > 0 AND titulo_id NOT IN (SELECT id FROM prova.notados WHERE regra = 'S20')) e
  ON e.titulo_id = l.titulo_id
WHERE NOT l.pago AND t.valor <> 0
UNION ALL
SELECT 'Não operacional', NULL, false, date_trunc('month', data_saldo_inicial)::DATE, valor_saldo_inicial
FROM core.contas CROSS JOIN prova.parametros WHERE data_saldo_inicial > data_base
