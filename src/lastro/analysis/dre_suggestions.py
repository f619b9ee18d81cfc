"""Proposals of a DRE group for the name of a category (S17); no figure of any report depends on them.

Belongs here: the words, in the order in which they are tried, and how a name is held against them. Does not belong
here: which categories are asked about (`lastro.analysis.dre_map`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from lastro.folding import slug

MISTA, DESPESA, RECEITA = 0, 1, 2
_ARTICLES: Final = "(?:d|de|do|da|dos|das|a|as|o|os|ao|s|sobre|e|em|no|na|nos|nas|com|para)"


@dataclass(frozen=True)
class Words:
    """One step of the list: what proposes a group, or with None that nothing is proposed.

    Attributes:
        grupo: the group, None = on purpose none.
        tipos: kinds of category that it is asked about.
        termos: as `_compile_term` reads them.
    """

    grupo: str | None
    tipos: tuple[int, ...]
    termos: tuple[str, ...]


_ALL, _OUT, _IN = (MISTA, DESPESA, RECEITA), (DESPESA,), (RECEITA,)
WORDS: Final = (
    Words(
        None,
        _ALL,
        (
            "retid*", "irrf", "retenc*", "parcelamento ~ imposto|tributo|debito", "=desconto concedido", "=frete",
            "transferencia", "ajuste*", "diverso*|diversa*", "reembolso*",
        ),
    ),
    Words(
        "financeiro",
        _ALL,
        (
            "juro", "iof", "encargo financeiro", "rendimento", "variacao cambial", "desconto obtido|financeiro",
            "antecipacao ~ recebivel", "despesa|taxa bancaria",
        ),
    ),
    Words(
        "custos_variaveis",
        (MISTA, DESPESA),
        ("taxa|tarifa|comissao|custo ~ cartao|maquininha|marketplace|gateway|adquirente|credito|debito",),
    ),
    Words("financeiro", _ALL, ("tarifa", "taxa ~ boleto|ted|doc|pix|cobranca")),
    Words("comerciais", _OUT, ("investimento ~ marketing|midia|propaganda",)),
    Words(
        "pessoal",
        _OUT,
        (
            "pis|imposto|encargo|contribuicao sobre|s ~ folha", "seguro de vida", "adiantamento salarial",
            "adiantamento ~ salario",
        ),
    ),
    Words(
        "fora",
        _ALL,
        (
            "emprestimo", "financiamento", "mutuo", "aporte", "integralizacao", "capital social", "retirada",
            "distribuicao ~ lucro", "lucro distribuido", "dividendo", "imobilizado", "investimento", "aplicacao",
            "resgate", "consorcio", "amortizacao", "saldo inicial",
            "compra|aquisicao|venda ~ maquina|equipamento|veiculo|movel|computador|ativo|imovel",
        ),
    ),
    Words("ir_csll", (MISTA, DESPESA), ("irpj", "csll", "imposto de renda", "contribuicao social")),
    Words(
        "pessoal",
        _OUT,
        (
            "salario", "folha", "ordenado", "fgts", "inss", "ferias", "^13|13o", "decimo terceiro", "pro labore",
            "vale transporte|refeicao|alimentacao", "plano de saude", "assistencia medica", "rescis*",
            "encargo social", "beneficio", "estagi*", "cesta basica", "hora extra", "funcionario", "colaborador", "plr",
            "^pessoal", "treinamento",
        ),
    ),
    Words(
        "deducoes",
        (DESPESA, RECEITA),
        (
            "simples nacional", "^das", "das$", "icms", "iss|issqn", "pis", "cofins", "ipi", "difal", "=imposto",
            "=imposto e taxa", "=imposto federal|estadual|municipal",
            "imposto sobre|s ~ venda|receita|faturamento|servico", "devolucao ~ venda", "venda cancelada", "abatimento",
            "desconto incondicional",
        ),
    ),
    Words(
        "custos_variaveis",
        _OUT,
        (
            "mercadoria", "cmv", "cpv", "csp", "materia prima", "insumo", "embalagem", "custo ~ produto|servico|venda",
            "frete ~ venda|compra|entrega", "para revenda",
        ),
    ),
    Words(
        "comerciais",
        _OUT,
        (
            "marketing", "propaganda", "publicidade", "comissao", "anuncio", "ads", "midia", "brinde", "patrocinio",
            "feira", "evento", "representacao comercial", "promoc*",
        ),
    ),
    Words(
        "administrativas",
        _OUT,
        (
            "aluguel", "locacao", "condominio", "energia", "luz", "agua", "telefon*", "internet", "celular", "contador",
            "contabil*|contabei*", "advogad*", "juridic*", "honorario", "escritorio", "papelaria", "limpeza", "seguro",
            "iptu", "ipva", "licenc*", "alvara", "software", "sistema", "assinatura", "manutenc*", "correio",
            "cartorio", "combustivel", "estacionamento", "viagem", "material de", "servico ~ terceiro", "consultoria",
            "vigilancia", "hospedagem",
        ),
    ),
    Words("administrativas", _OUT, ("=administrativa|administrativo", "=despesa administrativa")),
    Words("comerciais", _OUT, ("=comercial", "=despesa comercial")),
    Words(
        "financeiro",
        (DESPESA, RECEITA),
        ("=financeira|financeiro", "=despesa|receita financeira", "=resultado financeiro"),
    ),
    Words("custos_variaveis", _OUT, ("=custo variavel", "=despesa variavel")),
    Words("deducoes", (DESPESA, RECEITA), ("=deducao", "=deducao ~ receita|venda", "=deducao ~ receita bruta")),
    Words(
        "outras",
        (DESPESA, RECEITA),
        (
            "outra receita|despesa", "receita|despesa eventual", "receita|despesa nao operacional", "perda",
            "indenizac*", "doac*",
        ),
    ),
    Words(
        "receita_bruta",
        _IN,
        ("venda", "servico", "receita", "faturamento", "mensalidade", "honorario", "produto"),
    ),
)  # fmt: skip
"""Tried in this order; the first hit decides. Card, marketplace and gateway fees vary with what is sold, so they are
custos_variaveis; bank slips and tariffs are financeiro; a withheld tax is no expense of its own: nothing."""


def suggest_group(nome: str, tipo: int | None, sought: str = "") -> str | None:
    """Propose the DRE group of a category by its name and kind.

    Args:
        nome: as the service has it.
        tipo: 1 expense, 2 revenue; 0 and null are mixed.
        sought: the only group that matters; what comes after its words is not tried.

    >>> suggest_group("Venda de imobilizado", 2), suggest_group("Venda de mercadorias", 2), suggest_group("Frete", 1)
    ('fora', 'receita_bruta', None)
    """
    folded, kind = slug(nome, " "), tipo or MISTA
    last = max((place for place, words in enumerate(WORDS, 1) if words.grupo == sought), default=len(WORDS))
    for words in WORDS[:last]:
        if kind in words.tipos and any(pattern.search(folded) for pattern in _compile(words)):
            return words.grupo
    return None


@cache
def _compile(words: Words) -> tuple[re.Pattern[str], ...]:
    return tuple(map(_compile_term, words.termos))


def _compile_term(term: str) -> re.Pattern[str]:
    """Compile a term: words in a row, singular for plural too.

    `a|b` is either word, `stem*` any ending, `~` some articles and prepositions or none, `=` the whole name, `^` its
    beginning, `$` its end.
    """
    whole, first, last = term.startswith("="), term.startswith("^"), term.endswith("$")
    text = ""
    for word in term.strip("=^$").split():
        if word == "~":
            text += f"(?: {_ARTICLES})*"
        else:
            text += (" " if text else "") + f"(?:{'|'.join(map(_inflect, word.split('|')))})"
    before = "^" if whole or first else "(?<![a-z0-9])"
    after = "$" if whole or last else "(?![a-z0-9])"
    return re.compile(before + text + after)


def _inflect(word: str) -> str:
    """Match a word and its plural.

    >>> _inflect("comissao"), _inflect("recebivel"), _inflect("embalagem"), _inflect("retid*")
    ('comissao|comissoes|comissaos', 'recebivel|recebiveis', 'embalagem|embalagens', 'retid[a-z0-9]*')
    """
    if word.endswith("*"):
        return f"{word[:-1]}[a-z0-9]*"
    if word.endswith("ao"):
        return f"{word}|{word[:-2]}oes|{word}s"
    if word.endswith("m"):
        return f"{word}|{word[:-1]}ns"
    if word.endswith("el"):
        return f"{word}|{word[:-2]}eis"
    if word.endswith(("al", "ol", "ul")):
        return f"{word}|{word[:-1]}is"
    if word.endswith(("r", "z")):
        return f"{word}|{word}es"
    return f"{word}|{word}s" if word[-1] in "aeiou" else word
