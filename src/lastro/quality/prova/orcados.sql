-- Cada valor de orçamento que conta, de qualquer ano (R18).
SELECT versao, categoria_id, mes, valor FROM core.orcamento
