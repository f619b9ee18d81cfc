"""What whoever opens the UI for the first time finds in the graph: where to begin, and what the colours mean."""

import dagster as dg

from ..names import EQUIPE, Names

_TEXT = """\
**Por onde começar**

1. **Jobs → `{diario}` → Materialize all**, e escolha a partição: cada empresa do `lastro.toml` é uma. O agendamento
   `{horario}` faz o mesmo sozinho, todas as manhãs.
2. **O que se abre** fica em `{publicacao}`: os metadados da última materialização dizem o veredito e em que pasta
   estão as planilhas.
3. **Passo vermelho**: valem os números de antes. O erro e o que fazer estão no passo; `lastro manual` e o nome do erro
   dizem mais.
4. **Verificações** (*Checks*) são por empresa: abra a verificação e veja as partições. O sinal ao lado de um ativo
   mostra só a última execução, de qualquer empresa; `lastro estado` mostra todas.

Da esquerda para a direita: a leitura do serviço, o core, os relatórios por assunto, o que é entregue, o grupo.
"""


def build_readme(names: Names) -> dg.AssetSpec:
    """Build the asset that nobody materializes: its description is the page."""
    text = _TEXT.format(
        diario=names.name("diario"), horario=names.name("diario_6h"), publicacao=f"{names.prefix}/excel/publicacao"
    )
    return dg.AssetSpec(
        names.key("LEIA_ME"),
        description=text,
        group_name=names.name("LEIA_ME"),
        owners=list(EQUIPE),
        metadata={"manual": "lastro manual"},
    )
