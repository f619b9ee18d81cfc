-- V15 · Componentes dos compostos: listagem = detalhe
-- Severidade: erro
-- Relatório: R15
-- Julga: o que foi recebido e lido
-- Sem comparações: nenhum composto lido em detalhe
-- Só relações internas: a listagem e o detalhe são respostas do serviço ao mesmo pedido.
-- Por que importa: o que se leu em detalhe está certo nos números; os outros compostos podem não estar.
-- O que fazer: compare o lançamento no serviço com a listagem; pergunte ao serviço pelo item que ela omite.

-- Cada componente de um composto que se leu também em detalhe (S2.8). Um detalhe sem itens nada diz dos outros.
SELECT 'lançamento ' || lancamento_id || ' · item ' || linha_id AS chave, valor_detalhe AS esperado,
  valor_lista AS encontrado
FROM prova.componentes WHERE valor_detalhe IS NOT NULL OR detalhe_com_itens ORDER BY lancamento_id, linha_id;

-- E cada um uma só vez.
SELECT 'lançamento ' || lancamento_id || ' · item ' || linha_id || ' · vezes' AS chave, 1 AS esperado,
  count(*) AS encontrado
FROM prova.componentes GROUP BY lancamento_id, linha_id HAVING count(*) > 1 ORDER BY lancamento_id, linha_id
