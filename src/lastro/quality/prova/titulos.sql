-- Cada título, somado de suas linhas (S1), com o que se registrou dele: dia efetivo (S3), vencido ou não (S8), dia em
-- que conta na projeção (S4). A categoria que antecipa o vencimento é a do título, que no modo total não é linha (S2);
-- a pessoa, a forma e o grupo também.
--   linhas: quantas linhas soma
--   pago: pago até a data-base (S3)
--   caixa: pago dentro do controle da conta (S7)
--   fora: todas as linhas estão fora do resultado
--   prevista: dia em que se espera o pagamento (S3)
--   efetiva: prevista levada a um dia útil (S3)
--   referencia: dia de que se conta o atraso (S8)
--   carencia: aberto, pagável hoje sem encargos: prevista antes da data-base, efetiva não (S8)
--   vencido: aberto, com referência antes da data-base (S8)
--   dias: dias de atraso (S8)
--   projetada: dia em que conta na projeção (S4)
WITH somado AS (
  SELECT titulo_id, sum(valor)::DECIMAL(18,2) AS valor, count(*) AS linhas, bool_or(pago) AS pago,
    bool_or(caixa) AS caixa, bool_or(transferencia) AS transferencia, bool_and(fora) AS fora,
    min(prevista) AS prevista, min(data_vencimento) AS data_vencimento, min(data_pagamento) AS data_pagamento,
    min(conta_id) AS conta_id
  FROM prova.linhas GROUP BY titulo_id)
SELECT * EXCLUDE (data_base),
  data_base - referencia AS dias,
  CASE WHEN NOT pago AND NOT vencido THEN CASE WHEN efetiva < data_base THEN data_base ELSE efetiva END END
    AS projetada
FROM (
  SELECT s.*, t.tipo, t.pessoa_id, t.categoria_id, t.grupo_id, t.numero_repeticao, t.total_repeticoes,
    t.periodicidade, t.pagamento_automatico, t.forma_pagamento_id,
    CASE WHEN list_contains(p.categorias_antecipam, t.categoria_id) THEN k.dia_util_anterior
      ELSE k.proximo_dia_util END AS efetiva,
    CASE WHEN p.vence_em_dia_util THEN efetiva ELSE s.prevista END AS referencia,
    coalesce(NOT s.pago AND NOT s.transferencia AND s.valor <> 0 AND referencia < p.data_base, false) AS vencido,
    coalesce(NOT s.pago AND NOT s.transferencia AND s.valor <> 0 AND s.prevista < p.data_base
      AND p.data_base <= efetiva, false) AS carencia,
    p.data_base
  FROM somado s CROSS JOIN prova.parametros p
  LEFT JOIN core.titulos t ON t.titulo_id = s.titulo_id
  LEFT JOIN core.calendario k ON k.dia = s.prevista)
