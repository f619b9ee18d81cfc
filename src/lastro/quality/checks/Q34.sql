-- Q34 · Rótulos não configurados
-- Gravidade: informação
-- Por que importa: Formas, centros, tags e tipos de documento aparecem como números.
-- O que fazer: Pôr os nomes em [empresa.parametros].

-- Formas, centros, tipos de documento e etiquetas em uso e sem nome (S11); o que somam as linhas que os citam, cada uma
-- com o primeiro rótulo que lhe falta, entradas e saídas em uma linha cada.
WITH citados AS (
  SELECT row_number() OVER () AS numero, entra, valor, unnest([(1, forma_pagamento_id), (2, centro_custo_lucro_id),
    (3, tipo_documento_id), (4, tag_id)]) AS rotulo
  FROM prova.rotulos),
primeiros AS (
  SELECT entra, valor, min(rotulo) AS rotulo
  FROM citados SEMI JOIN prova.sem_nome s ON citados.rotulo = (s.ordem, s.id) GROUP BY numero, entra, valor),
somados AS (SELECT rotulo, sum(valor)::DECIMAL(18,2) AS valor FROM primeiros GROUP BY rotulo, entra)
SELECT s.dimensao AS tipo, s.id, m.valor FROM prova.sem_nome s LEFT JOIN somados m ON m.rotulo = (s.ordem, s.id);

-- As linhas a colar na configuração.
WITH rotulos AS (
  SELECT tipo, string_agg(id || ' = "nome"', ', ' ORDER BY id) AS nomes
  FROM (SELECT DISTINCT tipo, id FROM mart.achados_itens WHERE regra = 'Q34') GROUP BY tipo)
SELECT string_agg(tipo || ' = { ' || nomes || ' }', ' · '
    ORDER BY list_position(['formas', 'centros', 'tipos_documento', 'tags'], tipo)) AS colar FROM rotulos
