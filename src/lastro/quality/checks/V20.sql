-- V20 · Toda categoria, pessoa e conta citada é conhecida
-- Severidade: alerta
-- Relatório: R15
-- Julga: o que foi recebido e lido
-- Só relações internas: os registros são comparados entre si.
-- Por que importa: o que se cita e ninguém listou não tem nome, e numa conta desconhecida o saldo começa do zero.
-- O que fazer: veja se o registro foi apagado no serviço, ou se falta a conta na configuração; os valores estão
--   completos.

-- O que lançamentos e cobranças citam, uma vez cada um.
SELECT CASE WHEN conhecido THEN 'conhecidos' ELSE tipo || ' ' || id END AS chave, NULL::VARCHAR AS esperado,
  CASE WHEN conhecido THEN NULL ELSE 'desconhecido' END AS encontrado, count(*) AS comparacoes
FROM prova.citados GROUP BY chave, conhecido
ORDER BY min(list_position(['categoria', 'pessoa', 'conta'], tipo)), min(id)
