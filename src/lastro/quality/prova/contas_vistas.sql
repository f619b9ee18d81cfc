-- Cada conta que a leitura encontrou sem que estivesse configurada, e o que foi dela (S13).
--   origem: onde a conta apareceu
--   situacao: lida, ou o que o serviço respondeu a quem quis lê-la
SELECT v.conta_id, v.origem, v.situacao
FROM ops.contas_vistas v JOIN ops.execucoes e ON e.leitura_id = v.execucao_id
JOIN ops.relatorio r ON r.execucao_id = e.execucao_id
