-- Q17 · Pessoa com aberto sem CPF/CNPJ
-- Gravidade: alerta
-- Lados: em aberto
-- Por que importa: Sem documento não há boleto, negativação nem protesto.
-- O que fazer: Completar o cadastro da pessoa.

-- Pessoas da lista do serviço sem documento e com algo em aberto: o que têm a receber e a pagar, cada lado em uma
-- linha.
SELECT 'pessoa' AS tipo, c.pessoa_id AS id, sum(c.valor)::DECIMAL(18,2) AS valor, c.pessoa_id,
  min(c.data_vencimento) AS dia
FROM prova.titulos c JOIN prova.pessoas p ON p.pessoa_id = c.pessoa_id
WHERE p.sem_documento AND NOT c.transferencia AND NOT c.pago AND c.tipo <> 'Z' GROUP BY c.pessoa_id, c.tipo
