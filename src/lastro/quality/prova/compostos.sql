-- Como se decidiu se o valor do pai de um composto inclui os itens (S2.6).
SELECT c.n0, c.n1, c.decidido, c.modo, c.fonte, c.diferencas
FROM ops.compostos c JOIN ops.relatorio r ON r.execucao_id = c.execucao_id
