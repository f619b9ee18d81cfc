-- Cada componente de um composto que foi lido também em detalhe (S2.8): o que a listagem e o detalhe dizem dele.
SELECT c.lancamento_id, c.linha_id, c.valor_lista, c.valor_detalhe, c.detalhe_com_itens
FROM ops.compostos_detalhes c JOIN ops.relatorio r ON r.execucao_id = c.execucao_id
