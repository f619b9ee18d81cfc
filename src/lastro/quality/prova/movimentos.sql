-- O que move o caixa (prova.partes), de todas as categorias.
--   previsto: projetado, ou saldo inicial depois da data-base
--   linha: saldos_implantados, entradas, saidas, nao_operacional, transf_recebidas ou transf_enviadas (S5, S6)
SELECT conta_id, dia, previsto, linha, sum(valor)::DECIMAL(18,2) AS valor FROM prova.partes GROUP BY ALL
