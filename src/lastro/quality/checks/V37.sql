-- V37 · O serviço conta, lista, ordena e pagina como na leitura anterior
-- Severidade: alerta
-- Relatório: R15
-- Julga: o que foi recebido e lido
-- Sem comparações: só de uma leitura completa do próprio dia
-- Só relações internas: cada leitura foi comparada com a anterior quando se carregou.
-- Por que importa: nenhum número está errado por isso, mas uma lista que some leva nomes com ela, e muito de uma vez
--   pode ser outro serviço.
-- O que fazer: veja o que mudou, pergunte se trocaram o serviço, e olhe Mudanças (R14); a próxima leitura já o espera.

-- O que o serviço faz de outro modo do que na leitura completa anterior (S13).
SELECT 'serviço' AS chave, NULL::VARCHAR AS esperado, nullif(mudou, '') AS encontrado
FROM prova.leitura WHERE mudou IS NOT NULL
