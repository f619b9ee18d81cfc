-- Por que a abertura de uma conta é outra que no relatório anterior (S23): cada linha paga até a âncora que mudou, e
-- uma linha por conta do que outra causa explica.
--   conta: nome da conta
--   causa: passado mudou, trânsito mudou, âncora nova ou configuração mudou
--   origem: origem_saldo de agora
--   linha_id: a linha que mudou; nula nas outras causas
--   efeito: o que acrescenta à abertura; por conta, tudo soma agora menos antes
--   antes: abertura no relatório anterior
--   agora: abertura agora
--   mudou_em: primeiro dos dias de pagamento da linha, antes e agora
WITH anterior AS (
  SELECT max(x.execucao_id) AS execucao_id
  FROM ops.relatorio r JOIN ops.execucoes e ON e.execucao_id = r.execucao_id
  JOIN ops.execucoes x ON x.execucao_id < coalesce(e.leitura_id, e.execucao_id)
    AND x.data_base = x.data_extracao AND x.data_base < e.data_base
  WHERE x.situacao = 'completa' AND coalesce(x.tipo_execucao, 'completa') = 'completa'),
-- As âncoras de que aquele relatório já partia quando se leu por último: um recálculo não as deixa no histórico.
lidas AS (
  SELECT split_part(texto, ':', 1)::BIGINT AS conta_id
  FROM (
    SELECT unnest(string_split(p.valor_texto, '; ')) AS texto
    FROM ops.parametros p WHERE p.parametro = 'aberturas' AND p.execucao_id IN (
      SELECT execucao_id FROM ops.relatorio UNION ALL
      SELECT max(x.execucao_id) FROM anterior a JOIN ops.execucoes l ON l.execucao_id = a.execucao_id
      JOIN ops.execucoes x ON x.situacao = 'completa' AND x.data_base = x.data_extracao AND x.data_base = l.data_base))
  WHERE texto <> '' GROUP BY texto HAVING count(*) = 2),
contas AS (
  SELECT c.conta_id, c.descricao AS conta, c.origem_saldo AS origem, c.ancora_dia,
    h.valor_saldo_inicial AS antes, c.valor_saldo_inicial AS agora,
    coalesce(c.data_saldo_inicial, DATE '1700-01-01') AS inicio,
    CASE WHEN c.origem_saldo IN ('configurado', 'lancamento') OR h.origem_saldo IN ('configurado', 'lancamento')
        OR c.data_saldo_inicial IS DISTINCT FROM h.data_saldo_inicial THEN 'configuração mudou'
      WHEN (c.origem_saldo, c.ancora_dia, c.ancora_valor)
        IS DISTINCT FROM (h.origem_saldo, h.ancora_dia, h.ancora_valor) THEN 'âncora nova'
      ELSE 'passado mudou' END AS causa
  FROM anterior a JOIN hist.contas h ON h.valido_de <= a.execucao_id
    AND (h.valido_ate IS NULL OR h.valido_ate > a.execucao_id)
  JOIN core.contas c ON c.conta_id = h.conta_id
  WHERE (c.valor_saldo_inicial, c.origem_saldo) IS DISTINCT FROM (h.valor_saldo_inicial, h.origem_saldo)
    AND (causa = 'passado mudou' OR c.conta_id NOT IN (SELECT conta_id FROM lidas))),
pagas AS (
  SELECT l.conta_id, l.origem, l.linha_id, l.data_pagamento AS dia, l.valor AS antes, 0 AS agora
  FROM anterior a JOIN hist.linhas l ON l.valido_de <= a.execucao_id
    AND (l.valido_ate IS NULL OR l.valido_ate > a.execucao_id)
  UNION ALL SELECT conta_id, origem, linha_id, data_pagamento, 0, valor FROM core.linhas),
mudaram AS (
  SELECT c.conta_id, p.linha_id, sum(p.antes) - sum(p.agora) AS efeito, min(p.dia) AS mudou_em
  FROM contas c JOIN pagas p ON p.conta_id = c.conta_id AND p.dia BETWEEN c.inicio AND c.ancora_dia
  WHERE c.causa = 'passado mudou' GROUP BY c.conta_id, p.origem, p.linha_id HAVING sum(p.antes) <> sum(p.agora)),
restos AS (
  SELECT c.conta_id, c.agora - c.antes - coalesce(sum(m.efeito), 0) AS efeito
  FROM contas c LEFT JOIN mudaram m ON m.conta_id = c.conta_id GROUP BY c.conta_id, c.agora, c.antes),
causas AS (
  SELECT conta_id, linha_id, efeito, mudou_em FROM mudaram
  UNION ALL SELECT conta_id, NULL, efeito, NULL FROM restos)
SELECT c.conta_id, c.conta, CASE WHEN c.causa = 'passado mudou' AND x.linha_id IS NULL THEN 'trânsito mudou'
    ELSE c.causa END AS causa, c.origem, x.linha_id, x.efeito::DECIMAL(18,2) AS efeito,
  c.antes, c.agora, c.ancora_dia, x.mudou_em
FROM contas c JOIN causas x ON x.conta_id = c.conta_id
WHERE x.linha_id IS NOT NULL OR x.efeito <> 0 OR c.causa <> 'passado mudou'
