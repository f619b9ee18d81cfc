-- V09 · Vencidos por conta = filtros PA e RA do serviço
-- Severidade: erro
-- Relatório: R09
-- Julga: o que foi recebido e lido
-- Sem comparações: só na data da extração
-- Só relações internas: o vencido das linhas é comparado com o do serviço; que os relatórios o mostram é de V06.
-- Por que importa: o serviço diz por si o que está vencido; se diz outra coisa, alguma linha, data ou valor se perdeu.
-- O que fazer: veja o título no serviço. Se só difere o que vence hoje, o serviço o conta como vencido: é um alerta.

-- Cada título vencido das linhas e cada um que o serviço lista, com o valor; e o valor de cada lançamento listado só.
-- Nenhum se lista duas vezes.
SELECT chave, esperado, encontrado FROM (
  SELECT ordem, chave, esperado, encontrado FROM prova.listados
  UNION ALL
  SELECT 0, 'total', coalesce(sum(esperado) FILTER (ordem = 2), 0)::DECIMAL(18,2),
    coalesce(sum(encontrado) FILTER (ordem = 2), 0)::DECIMAL(18,2) FROM prova.listados
  UNION ALL SELECT 0, 'títulos vencidos', 0, 0 WHERE NOT EXISTS (FROM prova.listados))
CROSS JOIN prova.leitura WHERE hoje ORDER BY ordem, chave;

-- Se tudo o que difere é o que vence hoje, é só um alerta (S16).
SELECT 'o serviço conta como vencido o que vence hoje' AS detalhe, 'alerta' AS severidade
FROM prova.listados CROSS JOIN prova.leitura
WHERE hoje AND esperado IS DISTINCT FROM encontrado HAVING bool_and(vence_hoje)
