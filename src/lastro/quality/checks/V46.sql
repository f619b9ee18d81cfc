-- V46 · As faixas impressas da previsão contiveram o que veio
-- Severidade: alerta
-- Relatório: R23
-- Sem comparações: de nenhum horizonte há 12 faixas impressas cujo fim passou
-- Só relações internas: o que se imprimiu só as execuções daqueles dias sabem, e cada uma foi verificada então.
-- Por que importa: quem se prepara para o pior fim da faixa precisa saber que ela vinha estreita demais.
-- O que fazer: conte com mais do que a faixa até que ela se alargue; veja o que mudou na empresa desde então.

-- Das 12 últimas faixas impressas de um horizonte, ao menos 6 em 10 contiveram o que veio (S24).
WITH impressas AS (
  SELECT horizonte, realizado - previsto BETWEEN erro_de AND erro_ate AS dentro,
    row_number() OVER (PARTITION BY horizonte ORDER BY fim DESC) AS atras
  FROM mart.previsao_teste WHERE realizado IS NOT NULL AND erro_de IS NOT NULL)
SELECT 'faixas do horizonte ' || horizonte AS chave,
  greatest(count(*) FILTER (dentro), (6 * count(*) + 9) // 10)::BIGINT AS esperado,
  count(*) FILTER (dentro)::BIGINT AS encontrado
FROM impressas WHERE atras <= 12 GROUP BY horizonte HAVING count(*) = 12 ORDER BY horizonte
