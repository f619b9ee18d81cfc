-- Cada linha do banco, em quantos arquivos esteja (S20).
SELECT extrato_id, conta_id, dia, conta_em, valor FROM banco.linhas
