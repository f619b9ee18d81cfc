-- Nomes de categorias e descrições do que se deve e se repete, em palavras (R21): letras sem acento, o resto as separa.
--   palavras: as palavras do nome, um espaço antes, entre e depois delas
--   tributo: nomeia um tributo; «das» é também uma preposição: só em maiúsculas, que não a liguem, ou sozinha
--   parcelamento: nomeia um parcelamento
--   publico: nomeia um parcelamento público (PGFN, REFIS)
SELECT nome, palavras,
  regexp_matches(lower(palavras),
    ' (simples nacional|icms|iss|pis|cofins|ipi|difal|irpj|csll|irrf|inss|fgts|impostos?|tributos?|iptu) ')
    OR (palavras LIKE '% DAS %' AND palavras <> upper(palavras)) OR palavras LIKE ' DAS %' OR palavras LIKE '% DAS '
    OR palavras = ' das ' AS tributo,
  regexp_matches(lower(palavras), ' (parcelamentos?|pgfn|refis) ') AS parcelamento,
  regexp_matches(lower(palavras), ' (pgfn|refis) ') AS publico
FROM (
  SELECT nome, regexp_replace(' ' || regexp_replace(translate(nome,
      'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿĀāĂăĄąĆćĈĉĊċČčĎďĐđĒēĔĕĖėĘęĚěĜĝĞğĠ' ||
      'ġĢģĤĥĦħĨĩĪīĬĭĮįİıĲĳĴĵĶķĸĹĺĻļĽľĿŀŁłŃńŅņŇňŉŊŋŌōŎŏŐőŒœŔŕŖŗŘřŚśŜŝŞşŠšŢţŤťŦŧŨũŪūŬŭŮůŰűŲųŴŵŶŷŸŹźŻżŽžſ',
      'AAAAAAACEEEEIIIIDNOOOOOOUUUUYTsaaaaaaaceeeeiiiidnoooooouuuuytyAaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgG' ||
      'gGgHhHhIiIiIiIiIiIiJjKkkLlLlLlLlLlNnNnNnnNnOoOoOoOoRrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs'),
    '[\x{0300}-\x{036f}]', '', 'g') || ' ', '[^A-Za-z]+', ' ', 'g') AS palavras
  FROM (
    SELECT descricao AS nome FROM core.categorias WHERE descricao IS NOT NULL
    UNION SELECT l.descricao FROM core.linhas l SEMI JOIN core.titulos t
      ON t.titulo_id = l.titulo_id AND t.grupo_id IS NOT NULL AND t.valor < 0
    WHERE l.descricao IS NOT NULL))
