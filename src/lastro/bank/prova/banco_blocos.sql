-- Os dias que os extratos de cada conta cobrem sem intervalo, até a data-base (S20).
--   ultimo: é o que se concilia
--   saldo: o que o banco tinha no fim: o saldo mostrado e as linhas desde então; nulo sem nenhum
SELECT b.conta_id, b.inicio, b.fim, b.fim = max(b.fim) OVER (PARTITION BY b.conta_id) AS ultimo,
  (s.valor + coalesce((SELECT sum(l.valor) FROM banco.linhas l WHERE l.conta_id = b.conta_id AND l.conta_em > s.dia
    AND l.conta_em <= b.fim), 0))::DECIMAL(18,2) AS saldo
FROM banco.blocos b LEFT JOIN banco.saldos s ON s.conta_id = b.conta_id AND s.dia = b.saldo_em
