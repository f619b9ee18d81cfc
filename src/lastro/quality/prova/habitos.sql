-- O que cada pagador, por forma, pagou em 365 dias e o que deve (R12): recebíveis que entram no resultado.
--   figura: pagos ou com atraso (quantos títulos), valor pago ou a receber
--   valor: a quantidade ou o valor
SELECT pessoa_id, forma_pagamento_id, unnest(['pagos', 'com atraso', 'valor pago', 'a receber']) AS figura,
  unnest([count(*) FILTER (pago), count(*) FILTER (pago AND data_pagamento > data_vencimento),
    coalesce(sum(valor) FILTER (pago), 0), coalesce(sum(valor) FILTER (NOT pago), 0)])::DECIMAL(18,2) AS valor
FROM prova.titulos CROSS JOIN prova.parametros
WHERE valor > 0 AND NOT transferencia AND NOT fora_resultado AND (NOT pago OR data_pagamento > data_base - 365)
GROUP BY pessoa_id, forma_pagamento_id
