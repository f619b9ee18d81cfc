-- A leitura cujos números se mostram: quanto trouxe, e o que se notou do relógio e do serviço (S13); nada, onde um dia
-- passado foi devolvido da história: dele não se guarda o recebido.
--   hoje: a data-base é o dia da extração
--   recebidos: lançamentos e cobranças recebidos
--   mudou: o que o serviço faz de outro modo do que na leitura anterior; vazio se nada, nulo se ninguém olhou
SELECT l.execucao_id, e.data_base = e.data_extracao AS hoje, l.desvio_relogio,
  (SELECT count(*) FROM raw.lancamentos) + (SELECT count(*) FROM raw.cobrancas) AS recebidos,
  (SELECT coalesce(array_to_string(v.evidencia->>'$.mudou[*]', '; '), '') FROM ops.evidencias v
    WHERE v.execucao_id = l.execucao_id AND v.verificacao = 'V37') AS mudou
FROM ops.relatorio r JOIN ops.execucoes e ON e.execucao_id = r.execucao_id
JOIN ops.execucoes l ON l.execucao_id = e.leitura_id
