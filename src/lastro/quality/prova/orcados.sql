-- Cada valor de orçamento que conta, de qualquer ano (R18).
--   versao: original ou revisado
--   mes: primeiro dia do mês
SELECT versao, categoria_id, mes, valor FROM core.orcamento
