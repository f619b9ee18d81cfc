-- Q31 · Arquivo de pessoa não lido
-- Gravidade: alerta
-- Por que importa: O que foi digitado nele não está em relatório nenhum; o arquivo ficou onde estava.
-- O que fazer: Corrigir o arquivo; a próxima execução tenta de novo.
-- Cada um: Por que importa

-- Arquivos, ou partes deles, cada um com o motivo; de um orçamento o diz Q22, de um extrato do banco Q24.
SELECT 'arquivo' AS tipo, arquivo || ': ' || motivo AS texto
FROM prova.recusados WHERE linha IS NULL AND arquivo NOT ILIKE 'entrada/orcamento.%'
  AND arquivo NOT ILIKE 'entrada/extratos/%.ofx'
