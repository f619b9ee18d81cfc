"""Keys of an earlier lastro: what becomes of a file that still has one (DEC60).

Belongs here: every key that left, in one table. A removed key only warns if its value is what lastro does anyway, or
if ignoring it changes no figure and no promise; else loading stops and names the cure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from lastro.settings.parsers import (
    Parser,
    Wrong,
    parse_boolean,
    parse_choice,
    parse_decimal,
    parse_integer,
    parse_list_of,
    parse_money,
    parse_text,
)

NO_VALUE: Final = "–"
"""What stored parameters and sheets have for one that is not set."""
_FORMER: Final = {"fechamento": "data_fechamento"}
"""Parameter -> the one that said the same until it left."""
NEVER: Final = object()
"""As `agora`: no value says what lastro does now."""


@dataclass(frozen=True)
class Left:
    """A key that left.

    Attributes:
        cura: what to do instead, as the message and CHANGELOG print it.
        parse: how its value was read; None where no value is looked at.
        agora: the value that says what lastro now does always; `NEVER` when none does.
        para: whether loading stops at another value: a figure or a promise would change without a word.
    """

    cura: str
    parse: Parser | None = None
    agora: Any = NEVER
    para: bool = False

    def stops(self, value: object) -> bool:
        """Tell whether the loading stops at this value of the file."""
        if not self.para:
            return False
        try:
            return self.parse is None or bool(self.parse(value) != self.agora)
        except Wrong:
            return True


_DAGSTER: Final = "vai no dagster.yaml (lastro manual maquinas)"
_NAMED: Final = "dê a esses lançamentos, no serviço, a pessoa que é a outra empresa, e nomeie a pessoa"
LEFT: Final[Mapping[str, Left]] = {
    "postgres": Left(f"onde o Dagster guarda os registros {_DAGSTER}, em storage", para=True),
    "kubernetes": Left(
        f'que as execuções sejam pods {_DAGSTER}, em run_launcher; escreva aqui volume = ".volume"', para=True
    ),
    "empresa.parametros.tolerancia": Left(
        "as verificações de severidade erro são sempre exatas; apague a linha", parse_money, Decimal("0.00"), para=True
    ),
    "empresa.parametros.saldo_inicial_ref": Left(
        "o saldo inicial vale antes dos movimentos do dia; o do fim de um dia é o que um extrato diz: tire "
        "valor_saldo_inicial e digite-o com lastro saldos --em DIA CONTA=VALOR",
        parse_choice("abertura", "fechamento"), "abertura", para=True,
    ),
    "empresa.parametros.ordem_categorias": Left(
        "as categorias vêm por nome; para vê-las por valor, ordene mart.fluxo_mensal_total em SQL",
        parse_choice("nome"), "nome",
    ),
    "empresa.parametros.anexos": Left(
        "nenhum relatório usava anexos; o que já foi lido fica em hist.anexos; apague a linha", parse_boolean,
        agora=False,
    ),
    "empresa.parametros.baixar_anexos": Left(
        "o lastro não baixa mais anexos; os já baixados ficam na pasta anexos da empresa; baixe os novos pelo serviço "
        "e apague a linha",
        parse_boolean, agora=False, para=True,
    ),
    "empresa.parametros.listas_observadas": Left(
        "as listas que a documentação não mostra são sempre procuradas, uma vez por execução; apague a linha",
        parse_boolean, agora=True,
    ),
    "empresa.parametros.ultimo_dia_util_ano": Left(
        "ponha em feriados_extras o último dia de semana de dezembro de cada ano, como 2026-12-31", parse_boolean,
        agora=True, para=True,
    ),
    "empresa.parametros.abc_cortes": Left(
        "os cortes da curva ABC são 80 e 95; para outros, use pct_acumulado de mart.pessoas em SQL",
        parse_list_of(parse_decimal), (Decimal(80), Decimal(95)), para=True,
    ),
    "empresa.parametros.comparativo_base_minima": Left(
        "uma base menor que R$ 100,00 não dá variação em %: «n/s»; para outro limite, calcule a variação em SQL",
        parse_money, Decimal("100.00"), para=True,
    ),
    "empresa.parametros.data_fechamento": Left(
        "escreva essa data em fechamento, como fechamento = 2026-02-28", para=True
    ),
    "retencao.copias": Left(
        "ficam duas cópias publicadas, a atual e a anterior; guarde outras fora de dir", parse_integer(2, 1_000), 2,
        para=True,
    ),
    "retencao.refeitas_dias": Left(
        "as planilhas refeitas no mesmo dia seguem diarias_dias; apague a linha, ou mude diarias_dias",
        parse_integer(1), 7, para=True,
    ),
    "retencao.eventos_dias": Left(
        "os registros do Dagster de uma execução ficam 30 dias; apague a linha", parse_integer(1), 30
    ),
    "retencao.quentes_dias": Left(
        "os registros do Dagster de uma execução quente ficam 7 dias; apague a linha", parse_integer(1), 7
    ),
    "empresa.parametros.natureza_por": Left(
        "a categoria diz se é receita ou despesa (S5); corrija o tipo dela no serviço; apague a linha",
        parse_choice("categoria", "sinal"), "categoria", para=True,
    ),
    "empresa.parametros.proj_dia_util": Left(
        "a projeção cai em dia útil, pois banco nenhum liquida em outro; apague a linha", parse_boolean, agora=True,
        para=True,
    ),
    "empresa.parametros.vencidos_na_projecao": Left(
        "os vencidos ficam fora do saldo contratual, numa linha à parte; a coluna Conservador paga os que se devem",
        parse_choice("separado", "data_base", "conservador"), "separado", para=True,
    ),
    "empresa.parametros.projetar_infinitos": Left(
        "as recorrências ainda não geradas são uma linha à parte (Q12); gere-as no serviço para que entrem na projeção",
        parse_boolean, agora=False, para=True,
    ),
    "empresa.parametros.comparativo_dias": Left(
        "o mês até a data-base se compara com os mesmos dias do ano anterior; para dias úteis, some mart.lancamentos "
        "em SQL",
        parse_choice("corridos", "uteis"), "corridos", para=True,
    ),
    "empresa.parametros.janela_prazos_dias": Left(
        "PMR, PMP e prazos efetivos são de 90 dias; para outra janela, some mart.lancamentos em SQL; apague a linha",
        parse_integer(1), 90, para=True,
    ),
    "empresa.parametros.vencido_cortes": Left(
        "a capa diz Atenção a partir de 10 % vencidos e Crítico a partir de 25 %; apague a linha",
        parse_list_of(parse_decimal), (Decimal(10), Decimal(25)), para=True,
    ),
    "empresa.parametros.repasse_dias_max": Left(
        "M6 é um lançamento que vence antes da cobrança ou mais de 35 dias depois; apague a linha",
        parse_integer(0), 35, para=True,
    ),
    "empresa.parametros.lembrete_dias": Left(
        "a régua lembra 3 dias antes do vencimento; apague a linha", parse_integer(0), 3, para=True
    ),
    "empresa.parametros.fluxo_por_centro": Left(
        "um [[empresa.recorte]] com centros = [ID] dá os relatórios de um centro; para todos lado a lado, some "
        "mart.lancamentos por centro em SQL; apague a linha",
        parse_boolean, agora=False, para=True,
    ),
    "empresa.recorte.tags_modo": Left(
        "um recorte tem o que leva qualquer de suas tags; para o que leva todas, filtre mart.lancamentos em SQL",
        parse_choice("alguma", "todas"), "alguma", para=True,
    ),
    "tentar_ate": Left(
        "o que falhou é tentado de novo até o meio-dia, no fuso; depois disso, rode lastro run; apague a linha",
        parse_text, "12:00",
    ),
    "empresa.exportar": Left(
        "rode lastro exportar --formato FORMATO depois de lastro run; escreve as mesmas tabelas",
        parse_list_of(parse_text), (), para=True,
    ),
    "delta": Left("rode lastro delta DESTINO depois de lastro run, com --dados-pessoais se os quiser", para=True),
    "grupo.transferencia.de_lancamentos": Left(_NAMED, parse_list_of(parse_integer(1)), (), para=True),
    "grupo.transferencia.para_lancamentos": Left(_NAMED, parse_list_of(parse_integer(1)), (), para=True),
    "avisos.email.seguranca": Left(
        "a porta diz: a 465 é criptografada desde o começo, as outras por STARTTLS; só um servidor desta máquina vai "
        "sem; apague a linha",
        parse_choice("starttls", "tls", "nenhuma"), "starttls", para=True,
    ),
    "avisos.email.certificados": Left("escreva certificados em [avisos]; vale para os dois caminhos", para=True),
    "avisos.webhook.certificados": Left("escreva certificados em [avisos]; vale para os dois caminhos", para=True),
    "avisos.webhook.formato": Left(
        "o aviso vai como {text}, que os chats aceitam; um programa lê lastro estado --json",
        parse_choice("texto", "json"), "texto", para=True,
    ),
    "retencao.sobras_dias": Left(
        "o que execuções que falharam deixaram fica 7 dias; guarde fora de dir o que quiser por mais tempo",
        parse_integer(1), 7, para=True,
    ),
}  # fmt: skip
"""Key with its tables, as `lastro.toml` writes them -> what becomes of it."""


def find_left(where: str) -> Left | None:
    """Find a key that left by its place, in which a company or account may be named.

    >>> find_left("empresa[acme].parametros.tolerancia").para, find_left("retencao.paginas_dias")
    (True, None)
    """
    return LEFT.get(re.sub(r"\[[^\[\]]*\]", "", where))


def follow_former(stored: Mapping[str, str]) -> dict[str, str]:
    """Put what a run of an earlier lastro stored under a name that left under the one that took its place.

    >>> follow_former({"fechamento": "–", "data_fechamento": "28/02/2026"})["fechamento"]
    '28/02/2026'
    """
    moved = {
        name: stored[former]
        for name, former in _FORMER.items()
        if former in stored and stored.get(name, NO_VALUE) == NO_VALUE
    }
    return {**stored, **moved}
