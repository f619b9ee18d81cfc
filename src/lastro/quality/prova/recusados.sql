-- Cada arquivo de pessoa, ou parte dele, que a execução mostrada não leu (S18).
--   valor: de um orçamento, o valor como digitado; nulo onde não é um número
SELECT r.arquivo, r.linha, r.motivo, r.texto, r.valor
FROM raw.arquivo_rejeitados r JOIN ops.relatorio e ON e.execucao_id = r.execucao_id
