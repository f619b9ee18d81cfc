"""Every column of the warehouse once: type, rule and meaning. DDL, comments and the data dictionary derive from it.

A money column is DECIMAL(18,2) here and int64 `<name>_centavos` in pandas; signed as the service signs it (negative
expense, positive revenue) unless the description says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass

MONEY = "DECIMAL(18,2)"
ID, TEXT, DAY, INSTANT, FLAG, COUNT = "BIGINT", "VARCHAR", "DATE", "TIMESTAMP", "BOOLEAN", "INTEGER"
NOT_NULL = "NOT NULL"


@dataclass(frozen=True)
class ColumnDef:
    """One column.

    Attributes:
        name: as in SQL; pandas adds `_centavos` to money.
        type: SQL type.
        rule: what defines it; "" is the service's own field.
        meaning: in pt-BR.
        nullable: it may be null. The DDL does not say so, for a migration adds columns to older rows; the frames do:
            their dtype follows from it (`lastro.schema.frames`).
    """

    name: str
    type: str
    rule: str
    meaning: str
    nullable: bool = True

    @property
    def comment(self) -> str:
        """What `COMMENT ON COLUMN` says."""
        return f"{self.rule}: {self.meaning}" if self.rule else self.meaning


def _define(*columns: tuple[str, ...]) -> dict[str, ColumnDef]:
    return {
        name: ColumnDef(name, type_, rule, meaning, nullable=NOT_NULL not in flags)
        for name, type_, rule, meaning, *flags in columns
    }


COLUMNS: dict[str, ColumnDef] = _define(
    ("abertura_centros", TEXT, "R06", "centro de custo"),
    ("agencia", TEXT, "", "agência bancária"),
    ("ancestrais", "BIGINT[]", "S11", "ids da raiz até a categoria mãe", NOT_NULL),
    ("ancora_dia", DAY, "S23", "dia do extrato de que segue o saldo inicial; nulo quando não é de extrato"),
    (
        "ancora_provada",
        FLAG,
        "S23",
        "um segundo saldo concorda com a âncora, ou uma pessoa a deu; senão é abertura de um só extrato",
    ),
    ("ancora_valor", MONEY, "S23", "o que esse extrato mostrou"),
    ("ano_iso", COUNT, "S14", "ano ISO da semana", NOT_NULL),
    ("ativa", FLAG, "S7", "conta em uso", NOT_NULL),
    ("ativo", FLAG, "S11", "registro ativo", NOT_NULL),
    ("base_id", ID, "S13", "execução completa que uma quente atualiza"),
    ("bruto", MONEY, "R08", "soma das linhas com o sinal do título", NOT_NULL),
    ("campo", TEXT, "S13", "campo do registro"),
    ("caminho", TEXT, "S11", "nomes da raiz até a categoria, separados por « > »", NOT_NULL),
    ("categoria_id", ID, "S11", "categoria; nula = Sem categoria"),
    ("categorias_distintas", COUNT, "R08", "quantas categorias têm as linhas do título", NOT_NULL),
    ("centro_custo_lucro_id", ID, "S11", "centro de custo ou lucro; nulo = Sem centro"),
    ("chaves", "VARCHAR[]", "S15", "chaves que causam a diferença, no máximo dez"),
    ("cliente", FLAG, "S11", "a pessoa é cliente", NOT_NULL),
    ("cliente_id", ID, "S12", "cliente da cobrança"),
    ("cobranca_hash", TEXT, "S12", "identificação pública da cobrança"),
    ("cobranca_id", ID, "S12", "cobrança", NOT_NULL),
    ("cobrar_juros", FLAG, "S8", "a cobrança cobra juros por atraso", NOT_NULL),
    ("competencia_presumida", FLAG, "S4", "competência ausente, tomada conforme competencia_nula", NOT_NULL),
    ("composto", ID, "S2", "chave do composto; o id do lançamento com sinal trocado, se ele não tem uma", NOT_NULL),
    ("composto_modo", TEXT, "S2", "parcela = o pai não inclui os itens; total = inclui"),
    ("configurada", FLAG, "S7", "a conta está em lastro.toml", NOT_NULL),
    ("conhecida", FLAG, "V20", "o id está na lista do serviço", NOT_NULL),
    ("conta_id", ID, "S7", "conta bancária; nula = Sem conta"),
    ("contas", "BIGINT[]", "S7", "ids das contas, em ordem"),
    ("contas_novas", "BIGINT[]", "S13", "contas que a leitura anterior não tinha, em ordem"),
    ("contagem_antes", ID, "S13", "tipo_view=count antes da leitura; nulo = indisponível"),
    ("contagem_depois", ID, "S13", "tipo_view=count depois da leitura; nulo = indisponível"),
    ("dagster_run_id", TEXT, "S13", "id, no Dagster, da execução que a começou; nulo sem Dagster"),
    ("dia", DAY, "", "dia do calendário", NOT_NULL),
    (
        "dados_bancarios",
        TEXT,
        "",
        "banco, agência e conta, sob a chave da empresa: diz se mudaram, não quais; vazio sem eles (dado pessoal)",
    ),
    ("data_a_transferir", DAY, "S12", "dia previsto da transferência à conta"),
    ("data_base", DAY, "S3", "D: o dia na data do qual se relata"),
    ("data_cancelamento", DAY, "S12", "dia do cancelamento da cobrança"),
    ("data_competencia", DAY, "S4", "competência como recebida"),
    ("data_competencia_ef", DAY, "S4", "competência efetiva: a recebida, senão conforme competencia_nula"),
    ("data_extracao", DAY, "S3", "dia local do início da extração"),
    ("data_pagamento", DAY, "S3", "dia do pagamento; nulo enquanto em aberto"),
    ("data_pagamento_observada", FLAG, "S12", "data da primeira execução que viu a cobrança paga", NOT_NULL),
    ("data_saldo_inicial", DAY, "S7", "início do controle da conta; nulo = desde sempre"),
    ("data_transferido", DAY, "S12", "dia em que o dinheiro chegou à conta"),
    ("data_transferindo", DAY, "S12", "dia em que a transferência começou"),
    ("data_vencimento", DAY, "S3", "dia do vencimento", NOT_NULL),
    ("decidido", TEXT, "S2", "modo que os dados decidem sozinhos; nulo sem evidência"),
    ("deducoes", MONEY, "R08", "soma das linhas com o sinal oposto ao do título", NOT_NULL),
    ("descricao", TEXT, "", "descrição, sem espaços nas pontas"),
    ("detalhe_com_itens", FLAG, "S2", "o detalhe traz mais de um componente", NOT_NULL),
    ("desvio_relogio", ID, "S13", "segundos que o relógio da máquina andava à frente do relógio do serviço (V36)"),
    ("detalhe", TEXT, "S15", "o que foi comparado"),
    ("dia_util", FLAG, "S8", "dia em que os bancos liquidam", NOT_NULL),
    ("dia_util_anterior", DAY, "S8", "o próprio dia, se útil; senão o dia útil anterior", NOT_NULL),
    ("diferenca", MONEY, "S15", "encontrado menos esperado"),
    ("diferencas", "BIGINT[]", "S2", "títulos em que o pai difere da soma dos itens", NOT_NULL),
    ("documento", TEXT, "", "documento; de pessoas, CPF ou CNPJ"),
    ("dre_grupo", TEXT, "R06", "grupo da DRE, herdado do ancestral mapeado mais próximo", NOT_NULL),
    ("dre_mapeada", FLAG, "Q20", "o grupo vem de dre_mapa", NOT_NULL),
    ("email", TEXT, "", "e-mail (dado pessoal)"),
    ("empresa", TEXT, "", "id da empresa na configuração"),
    ("encontrado", TEXT, "S15", "valor encontrado"),
    ("erro", TEXT, "S13", "por que a execução não se completou"),
    ("esperado", TEXT, "S15", "valor esperado"),
    ("estado", TEXT, "S13", "desaparecido, excluido ou como se soube que o registro vive"),
    ("etapa", TEXT, "S13", "leitura, core, mart, planilhas ou publicacao", NOT_NULL),
    ("evidencia", "JSON", "S15", "o que foi notado; valores em centavos"),
    ("execucao_id", ID, "S13", "número da execução, crescente", NOT_NULL),
    ("extraido_em", INSTANT, "S13", "instante da resposta (UTC)", NOT_NULL),
    ("feriado", TEXT, "S8", "nome do feriado bancário"),
    ("fonte", TEXT, "S2", "quem decidiu: parametro, execução anterior ou dados", NOT_NULL),
    ("fora_resultado", FLAG, "R06", "categoria do grupo fora: não entra no resultado", NOT_NULL),
    ("forma_pagamento_id", ID, "S11", "forma de pagamento; nula = Sem forma"),
    ("fornecedor", FLAG, "S11", "a pessoa é fornecedora", NOT_NULL),
    ("grupo_id", ID, "S10", "agrupa as repetições de um lançamento"),
    ("host", TEXT, "", "endereço do serviço, sem caminho e sem token"),
    ("ids_distintos", ID, "S13", "registros distintos recebidos", NOT_NULL),
    ("indicador", TEXT, "R00", "nome do indicador"),
    ("iniciada_em", INSTANT, "S13", "início (UTC)"),
    ("instrucoes_boleto", TEXT, "", "texto das instruções do boleto"),
    ("kpi", TEXT, "R00", "identificação do indicador"),
    ("lancamento_composto_id", ID, "S2", "agrupa os itens de um lançamento composto"),
    ("lancamento_id", TEXT, "S12", "id citado pela cobrança", NOT_NULL),
    ("lancamento_ids", TEXT, "S12", "ids dos lançamentos, separados por vírgula, como recebidos"),
    ("lancamento_transferencia_id", ID, "S6", "a outra perna da transferência"),
    ("lancamentos", "BIGINT[]", "S7", "ids dos lançamentos de saldo inicial", NOT_NULL),
    ("linha_id", ID, "S1", "id da linha; a chave é (origem, linha_id)", NOT_NULL),
    ("linhas_recebidas", ID, "S13", "registros recebidos, repetições incluídas", NOT_NULL),
    ("link_publico", TEXT, "", "endereço público da cobrança"),
    ("leitura_id", ID, "S13", "execução cuja leitura os números mostram: a própria; num recálculo, a recalculada"),
    ("liquido", MONEY, "S12", "valor_pago menos taxa; nulo se não paga"),
    ("lista", TEXT, "S13", "listagem do serviço", NOT_NULL),
    ("modo", TEXT, "S2", "parcela = o pai não inclui os itens; total = inclui", NOT_NULL),
    ("modified", INSTANT, "", "última alteração no serviço, hora local sem fuso"),
    ("motivo", TEXT, "S13", "por que não pôde ser lido ou provado"),
    ("n0", ID, "S2", "títulos cujo pai não é a soma dos itens", NOT_NULL),
    ("n1", ID, "S2", "títulos cujo pai é a soma de dois itens ou mais", NOT_NULL),
    ("natureza", TEXT, "S5", "R/D pela categoria; mista pelo sinal", NOT_NULL),
    ("nivel", COUNT, "S11", "profundidade na árvore, 0 = raiz", NOT_NULL),
    ("nome", TEXT, "S11", "nome fantasia se houver, senão o nome", NOT_NULL),
    ("nota", TEXT, "S13", "o que a execução diz de si no carimbo"),
    ("numero_repeticao", COUNT, "S10", "número da parcela"),
    ("observacao", TEXT, "", "observação"),
    ("origem", TEXT, "S1", "lancamento = registro da lista; item = só visto em itens_adicionais", NOT_NULL),
    ("origem_pagina", TEXT, "S13", "caminho pedido ao serviço, sem o token"),
    ("origem_saldo", TEXT, "S23", "de onde vem o saldo inicial: lancamento, configurado, extrato ou nenhum", NOT_NULL),
    ("pagamento_automatico", FLAG, "S10", "baixa automática no vencimento", NOT_NULL),
    ("paga", FLAG, "S12", "cliente pagou, transferindo ou transferido", NOT_NULL),
    ("pagina", COUNT, "S13", "página da listagem, desde 1", NOT_NULL),
    ("paginas", COUNT, "S13", "páginas lidas", NOT_NULL),
    ("parametro", TEXT, "", "nome do parâmetro (PAR)"),
    ("parent_id", ID, "S11", "categoria mãe; nula = raiz"),
    ("passada", COUNT, "S13", "número da tentativa de leitura", NOT_NULL),
    ("payload", "JSON", "S13", "registro como recebido"),
    ("pedido_id", ID, "", "pedido"),
    ("percentual_multa", "DECIMAL(9,4)", "S8", "multa da cobrança em percento"),
    ("periodicidade", TEXT, "S10", "código da repetição (D7, D15, M1, M2, M3, M6, M12)"),
    ("permite_lancamento", FLAG, "R01", "falso = a conta só se move por transferências", NOT_NULL),
    ("permitir_segunda_via", FLAG, "", "a cobrança permite segunda via", NOT_NULL),
    ("pessoa_id", ID, "S11", "cliente ou fornecedor; nula = Sem pessoa"),
    ("posicao", COUNT, "S13", "posição na página, desde 0", NOT_NULL),
    ("prova", TEXT, "S13", "como a completude foi provada"),
    ("provisoria", FLAG, "S7", "sem saldo inicial: variação, não saldo", NOT_NULL),
    ("proximo_dia_util", DAY, "S8", "o próprio dia, se útil; senão o próximo dia útil", NOT_NULL),
    ("qtde_linhas", COUNT, "S1", "linhas do título", NOT_NULL),
    ("rank", COUNT, "S12", "1 agendado .. 5 transferido; 0 cancelado ou desconhecido", NOT_NULL),
    ("reconstituida", FLAG, "S3", "D anterior à extração, sem execução guardada daquele dia"),
    ("registro_id", ID, "S13", "id do registro na listagem", NOT_NULL),
    ("registros", ID, "S13", "quantos registros"),
    ("rejeitadas", ID, "S13", "registros que não puderam ser lidos", NOT_NULL),
    ("reparados", ID, "S13", "caracteres supostos, porque vieram fora de UTF-8"),
    ("repetidas", ID, "S13", "registros recebidos mais de uma vez", NOT_NULL),
    ("requisicoes", ID, "S13", "pedidos feitos ao serviço"),
    ("resposta", TEXT, "S13", "leitura direta: vivo, ausente ou indefinido; nula = não perguntado"),
    ("rotulo", TEXT, "S11", "nome a imprimir", NOT_NULL),
    ("semana_iso", COUNT, "S14", "semana ISO", NOT_NULL),
    ("severidade", TEXT, "S15", "erro ou alerta"),
    ("situacao", TEXT, "", "situação"),
    ("so_variacao", FLAG, "S23", "falta o saldo inicial de uma conta: é variação, não saldo"),
    ("status", TEXT, "S12", "situação da cobrança; cancelado prevalece", NOT_NULL),
    ("status_descricao", TEXT, "S12", "situação da cobrança como recebida"),
    ("status_id", ID, "S12", "código da situação da cobrança"),
    ("tag_id", ID, "S11", "etiqueta", NOT_NULL),
    ("tags", "BIGINT[]", "S11", "etiquetas da linha, em ordem", NOT_NULL),
    ("taxa", MONEY, "S12", "valor absoluto de valor_taxa", NOT_NULL),
    ("telefone", TEXT, "", "telefone (dado pessoal)"),
    ("tem_filhas", FLAG, "S11", "a categoria tem filhas", NOT_NULL),
    ("tem_saldo_inicial", FLAG, "Q11", "há saldo inicial configurado ou lançado", NOT_NULL),
    ("terminada_em", INSTANT, "S13", "fim (UTC)"),
    (
        "tipo",
        TEXT,
        "S1",
        "de títulos: R a receber (> 0), P a pagar (< 0), Z zero; de contas: conta ou cartao",
        NOT_NULL,
    ),
    ("tipo_categoria_id", COUNT, "S5", "0 mista, 1 despesa, 2 receita"),
    ("tipo_custo_apropriacao_produto_id", ID, "", "apropriação do custo ao produto"),
    ("tipo_custo_nivel_producao_id", ID, "", "custo pelo nível de produção"),
    ("tipo_documento_id", ID, "S11", "tipo de documento"),
    ("tipo_execucao", TEXT, "S13", "completa, quente ou recálculo"),
    ("titulo_id", ID, "S1", "título: o que se paga ou recebe de uma vez; id do portador", NOT_NULL),
    ("total_repeticoes", COUNT, "S10", "número de parcelas; nulo com periodicidade = sem fim"),
    ("transferencia", FLAG, "S6", "perna de transferência entre contas", NOT_NULL),
    ("unidade", TEXT, "R00", "M dinheiro, P percento, N número, I contagem, D data"),
    ("valido_ate", ID, "S13", "execução desde a qual a versão já não vale; nula = vale na última"),
    ("valido_de", ID, "S13", "execução desde a qual a versão vale", NOT_NULL),
    ("valor_detalhe", MONEY, "S2", "valor no detalhe; nulo se ele não o traz"),
    ("valor_lista", MONEY, "S2", "valor na listagem; nulo se ela não o traz"),
    (
        "valor",
        MONEY,
        "S5",
        "valor com sinal: negativo despesa, positivo receita; de cobranças, sempre positivo",
        NOT_NULL,
    ),
    ("valor_multa_juros", MONEY, "S12", "multa e juros recebidos", NOT_NULL),
    ("valor_pago", MONEY, "S12", "valor pago pelo cliente; nulo enquanto não pago"),
    ("valor_saldo_inicial", MONEY, "S7", "saldo inicial", NOT_NULL),
    ("valor_taxa", MONEY, "S12", "taxa como recebida", NOT_NULL),
    ("valor_texto", TEXT, "", "valor como texto"),
    ("valores", "JSON", "S13", "últimos valores conhecidos do registro"),
    ("veredito", TEXT, "S13", "provada, mudou durante a leitura ou incompleta", NOT_NULL),
    ("verificacao", TEXT, "S15", "regra V ou Q"),
    ("versao", TEXT, "", "versão do lastro"),
    ("viva", FLAG, "S12", "não cancelada", NOT_NULL),
)
