-- V20 · Toda categoria, pessoa e conta citada é conhecida
-- Severidade: alerta
-- Relatório: R15
-- Julga: o que foi recebido e lido
-- Só relações internas: os registros são comparados entre si.
-- Por que importa: o que se cita e ninguém listou não tem nome, e numa conta desconhecida o saldo começa do zero.
-- O que fazer: veja se o registro foi apagado no serviço, ou se falta a conta na configuração; os valores estão
--   completos.

-- O que lançamentos e cobranças citam, uma vez cada um.
SELECT if(conhecido, 'conhecidos', tipo || ' ' || id) AS chave, NULL::VARCHAR AS esperado,
  if(conhecido, NULL, 'desconhecido') AS encontrado, count(*) AS comparacoes
FROM prova.citados GROUP BY chave, conhecido
ORDER BY min(list_position(['categoria', 'pessoa', 'conta'], tipo)), min(id)
