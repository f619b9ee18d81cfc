"""Names and fixed records of the invented company: a trader in building materials somewhere in Brazil."""

from __future__ import annotations

from typing import Final

CATEGORIES: Final[tuple[tuple[int, str, int, int | None, bool], ...]] = (
    (10, "Receitas", 2, None, True),
    (11, "Vendas de mercadorias", 2, 10, True),
    (111, "Loja física", 2, 11, True),
    (112, "Loja on-line", 2, 11, True),
    (113, "Atacado", 2, 11, True),
    (114, "Televendas", 2, 11, False),
    (12, "Serviços", 2, 10, True),
    (121, "Instalação", 2, 12, True),
    (122, "Manutenção", 2, 12, True),
    (13, "Outras receitas", 2, 10, True),
    (131, "Rendimentos de aplicação", 2, 13, True),
    (20, "Despesas", 1, None, True),
    (21, "Mercadorias", 1, 20, True),
    (211, "Compras para revenda", 1, 21, True),
    (212, "Fretes sobre compras", 1, 21, True),
    (22, "Pessoal", 1, 20, True),
    (221, "Salários", 1, 22, True),
    (222, "Encargos sociais", 1, 22, True),
    (223, "Benefícios", 1, 22, True),
    (23, "Administrativas", 1, 20, True),
    (231, "Aluguel", 1, 23, True),
    (232, "Energia e água", 1, 23, True),
    (233, "Internet e telefone", 1, 23, True),
    (234, "Contabilidade", 1, 23, True),
    (235, "Sistemas", 1, 23, True),
    (236, "Telex e correio", 1, 23, False),
    (24, "Comerciais", 1, 20, True),
    (241, "Comissões", 1, 24, True),
    (242, "Publicidade", 1, 24, True),
    (243, "Feiras e eventos", 1, 24, False),
    (25, "Impostos", 1, 20, True),
    (251, "Simples Nacional", 1, 25, True),
    (252, "ICMS substituição", 1, 25, True),
    (26, "Financeiras", 1, 20, True),
    (261, "Tarifas bancárias", 1, 26, True),
    (262, "Juros e multas", 1, 26, True),
    (30, "Movimentações", 0, None, True),
    (31, "Empréstimos", 0, 30, True),
    (32, "Retirada de sócios", 0, 30, True),
)

FIRST_NAMES: Final = (
    "Adriana", "Álvaro", "Antônia", "Bento", "Cecília", "Conceição", "Danilo", "Elisângela", "Estêvão", "Fátima",
    "Gonçalo", "Heloísa", "Inês", "Íris", "João", "José", "Júlia", "Luís", "Márcia", "Mônica", "Natália", "Otávio",
    "Patrícia", "Raimundo", "Sônia", "Tomás", "Úrsula", "Vinícius",
)  # fmt: skip
LAST_NAMES: Final = (
    "Araújo", "Assunção", "Brandão", "Caldeirão", "Conceição", "d'Ávila", "Esteves", "Fogaça", "Gonçalves", "Guimarães",
    "Leitão", "Magalhães", "Muniz", "Nóbrega", "Oliveira", "Paixão", "Queirós", "Romão", "Simões", "Teófilo", "Valadão",
)  # fmt: skip
TRADES: Final = (
    "Construtora", "Materiais", "Depósito", "Ferragens", "Tintas", "Hidráulica", "Elétrica", "Madeireira", "Cerâmica",
    "Transportadora", "Engenharia", "Acabamentos", "Vidraçaria", "Serralheria",
)  # fmt: skip
PLACES: Final = (
    "São Jorge", "Ipê", "Boa Vista", "Três Irmãos", "Estação", "União", "Horizonte", "Mantiqueira", "Pé de Serra",
    "Araucária", "Jequitibá", "Santa Inês", "Paraíba", "Litoral", "Vale Verde", "Açucena", "Guanabara",
)  # fmt: skip
ENDINGS: Final = ("Ltda", "ME", "EPP", "S.A.", "& Filhos", "Comércio Ltda")
STREETS: Final = ("Rua das Acácias", "Avenida São João", "Rua Sete de Setembro", "Travessa do Café", "Alameda Itu")
DISTRICTS: Final = ("Centro", "Jardim América", "Vila Nova", "Água Branca", "Boqueirão")

CENTRES: Final = ((1, "Loja", None), (2, "Salão", 1), (3, "Depósito", 1), (4, "Administração", None))
METHODS: Final = ((301, "boleto"), (302, "cartao_credito"), (303, "pix"), (304, "Dinheiro"), (305, "Transferência"))
TAGS: Final = ((1, "Obra própria"), (2, "Licitação"), (3, "Campanha de verão"), (4, "Garantia"), (5, "Revisar"))
DOCUMENT_TYPES: Final = ((1, "Nota fiscal"), (2, "Recibo"), (3, "Fatura"), (4, "Cupom fiscal"))
CLASSIFICATIONS: Final = (
    (1, "Consumidor", 1, True),
    (2, "Construtora", 1, True),
    (3, "Revenda", 0, True),
    (4, "Fabricante", 2, True),
    (5, "Prestador de serviço", 2, True),
    (6, "Condomínio", 1, False),
)
# descrição, categoria, lowest and highest monthly amount in centavos for a company of 5,000 entries, automatic
ENDLESS: Final = (
    ("Aluguel da loja", 231, 620000, 620000, False),
    ("Energia elétrica", 232, 98000, 186000, False),
    ("Água e esgoto", 232, 21000, 39000, False),
    ("Internet fibra", 233, 39990, 39990, True),
    ("Telefonia móvel", 233, 41000, 52000, True),
    ("Contabilidade mensal", 234, 135000, 135000, False),
    ("Sistema de gestão", 235, 49900, 49900, True),
    ("Pacote de tarifas", 261, 8950, 8950, True),
    ("Plano de saúde", 223, 310000, 345000, False),
    ("Retirada dos sócios", 32, 700000, 700000, False),
)
