-- O que move o caixa de todas as contas num dia, nas colunas do fluxo (R02, R03).
--   dia: dia do movimento
--   inicio: segunda-feira da semana dele
--   saldo: de todas as contas, com o previsto, ao fim do dia
SELECT dia, date_trunc('week', dia)::DATE AS inicio,
  coalesce(sum(valor) FILTER (linha = 'saldos_implantados'), 0)::DECIMAL(18,2) AS saldos_implantados,
  coalesce(sum(valor) FILTER (linha = 'entradas' AND NOT previsto), 0)::DECIMAL(18,2) AS entradas_realizadas,
  coalesce(sum(valor) FILTER (linha = 'saidas' AND NOT previsto), 0)::DECIMAL(18,2) AS saidas_realizadas,
  coalesce(sum(valor) FILTER (linha = 'entradas' AND previsto), 0)::DECIMAL(18,2) AS entradas_previstas,
  coalesce(sum(valor) FILTER (linha = 'saidas' AND previsto), 0)::DECIMAL(18,2) AS saidas_previstas,
  coalesce(sum(valor) FILTER (linha = 'nao_operacional'), 0)::DECIMAL(18,2) AS nao_operacional,
  coalesce(sum(valor) FILTER (starts_with(linha, 'transf')), 0)::DECIMAL(18,2) AS transferencias,
  sum(sum(valor)) OVER (ORDER BY dia)::DECIMAL(18,2) AS saldo
FROM prova.movimentos GROUP BY dia
