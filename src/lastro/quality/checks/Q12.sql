-- Q12 · Recorrência não gerada
-- Gravidade: alerta
-- Por que importa: A projeção não tem os próximos lançamentos de uma série sem fim; o valor é estimado.
-- O que fazer: Gerar as próximas parcelas no sistema ou encerrar a série.

-- Séries sem fim cujo último vencimento vem antes do fim do horizonte mais longo (S10), uma vez cada: o grupo, ou o
-- único título de uma série sem grupo. O valor é o do último título, tantas vezes quantas ocorrências faltam; sem
-- valor onde o código da periodicidade é desconhecido.
SELECT CASE WHEN s.grupo_id IS NULL THEN 'titulo' ELSE 'grupo' END AS tipo, coalesce(s.grupo_id, s.titulo_id) AS id,
  (t.valor * len(s.faltam))::DECIMAL(18,2) AS valor, t.pessoa_id, s.vencimento AS dia
FROM prova.series s JOIN prova.titulos t ON t.titulo_id = s.titulo_id WHERE s.vencimento < s.fim
