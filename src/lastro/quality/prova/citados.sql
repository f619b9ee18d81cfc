-- Cada categoria, pessoa e conta que um lançamento ou uma cobrança cita, e se é conhecida (S11).
--   tipo: categoria, pessoa ou conta
--   id: o que se cita
--   conhecido: o serviço o listou; de uma conta, também a configuração
WITH citados AS (
  SELECT 'categoria' AS tipo, categoria_id AS id FROM prova.linhas
  UNION SELECT 'pessoa', pessoa_id FROM prova.linhas
  UNION SELECT 'pessoa', pessoa_id FROM core.cobrancas
  UNION SELECT 'conta', conta_id FROM prova.linhas
  UNION SELECT 'conta', conta_id FROM core.cobrancas),
conhecidos AS (
  SELECT 'categoria' AS tipo, categoria_id AS id FROM core.categorias WHERE conhecida
  UNION ALL SELECT 'pessoa', pessoa_id FROM core.pessoas WHERE conhecida
  UNION ALL SELECT 'conta', conta_id FROM prova.contas WHERE conhecida)
SELECT tipo, id, (tipo, id) IN (FROM conhecidos) AS conhecido FROM citados WHERE id IS NOT NULL
