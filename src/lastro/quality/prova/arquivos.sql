-- Cada arquivo da pasta de entrada como a execução mostrada o leu (S18).
--   arquivo: nome do arquivo
SELECT a.arquivo, a.linhas FROM ops.arquivos a JOIN ops.relatorio e ON e.execucao_id = a.execucao_id
