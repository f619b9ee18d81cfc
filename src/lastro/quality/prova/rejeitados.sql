-- Os lançamentos, itens e cobranças que não puderam ser lidos (S13).
--   id: o id do registro, ou onde ele estava
SELECT lista, coalesce(payload->>'id', 'página ' || pagina || ', posição ' || posicao) AS id FROM raw.rejeitados
WHERE lista IN ('lancamentos', 'itens_adicionais', 'cobrancas')
