-- Os parâmetros que os cálculos usam (PAR), cada um com seu tipo, ao lado do dia a que os relatórios se referem (S3).
--   mes: primeiro dia do mês da data-base
SELECT r.data_base, r.data_extracao, date_trunc('month', r.data_base)::DATE AS mes, c.* EXCLUDE (execucao_id)
FROM ops.relatorio r CROSS JOIN ops.calculo c WHERE c.execucao_id = (SELECT max(execucao_id) FROM ops.calculo)
