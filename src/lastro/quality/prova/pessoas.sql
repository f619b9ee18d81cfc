-- As pessoas, e se têm documento (S11).
--   sem_documento: está na lista do serviço sem CPF nem CNPJ
SELECT pessoa_id, conhecida AND trim(coalesce(documento, '')) = '' AS sem_documento FROM core.pessoas
