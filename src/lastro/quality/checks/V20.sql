-- V20 · Toda categoria, pessoa e conta citada é conhecida
-- Severidade: alerta
-- Relatório: R15
-- Julga: o que foi recebido e lido
-- Só relações internas: os registros são comparados entre si.
-- Por que importa: o que se cita e ninguém listou não tem nome, e numa conta desconhecida o saldo começa do zero.
--   De uma conta que o serviço não deixa ler não se sabe nada: o que há nela não está em número nenhum.
-- O que fazer: veja se o registro foi apagado no serviço, ou se falta a conta na configuração; os valores estão
--   completos. Para uma conta com HTTP 403 ou 422, peça no serviço o acesso do token a ela, ou feche-a lá.

-- O que lançamentos e cobranças citam, uma vez cada um.
SELECT tipo || ' ' || id AS chave, NULL::VARCHAR AS esperado,
  CASE WHEN NOT conhecido THEN 'desconhecido' END AS encontrado
FROM prova.citados ORDER BY list_position(['categoria', 'pessoa', 'conta'], tipo), id;

-- As contas que se viram sem estar configuradas: cada uma foi lida (S13).
SELECT 'conta ' || conta_id AS chave, 'lida' AS esperado, situacao AS encontrado
FROM prova.contas_vistas ORDER BY conta_id
