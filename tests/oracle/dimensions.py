"""Categories and persons (S11), DRE groups (R06)."""

from __future__ import annotations

from typing import Any

from .values import fold, parse_reference

Record = dict[str, Any]

SEM_CATEGORIA = "Sem categoria"
SEM_PESSOA = "Sem pessoa"


def flatten_categories(payload: list[Record]) -> dict[int, Record]:
    """Flatten the tree through `categorias_filhas` and `parent_id` (S11).

    Returns:
        id -> dict(categoria_id, descricao, nome (suffix " (inativa)"), tipo_categoria_id, parent_id, ativo, nivel
        (0 = root), caminho ("Despesas > Aluguel", without suffix), ancestrais (root first, itself not included),
        filhas (ids)).
    """
    found: dict[int, Record] = {}

    def visit(node: Record, parent_id: int | None) -> None:
        categoria_id = int(node["id"])
        own_parent = parse_reference(node.get("parent_id"))
        known = found.get(categoria_id)
        parent = own_parent if own_parent is not None else parent_id
        if known is None:
            found[categoria_id] = {
                "categoria_id": categoria_id,
                "descricao": node["descricao"],
                "tipo_categoria_id": node.get("tipo_categoria_id"),
                "parent_id": parent,
                "ativo": bool(node.get("ativo", True)),
            }
        elif known["parent_id"] is None:
            known["parent_id"] = parent
        for child in node.get("categorias_filhas") or []:
            visit(child, categoria_id)

    for root in payload:
        visit(root, None)
    for record in found.values():
        if record["parent_id"] not in found:
            record["parent_id"] = None
    _cut_cycles(found)
    for record in found.values():
        record["ancestrais"] = _ancestors(found, record["categoria_id"])
        record["nivel"] = len(record["ancestrais"])
        names = [found[a]["descricao"] for a in record["ancestrais"]] + [record["descricao"]]
        record["caminho"] = " > ".join(names)
        record["nome"] = record["descricao"] + ("" if record["ativo"] else " (inativa)")
        record["filhas"] = sorted(
            (c for c in found if found[c]["parent_id"] == record["categoria_id"]),
            key=lambda c: (fold(found[c]["descricao"]), c),
        )
    _tell_twins_apart(found)
    return found


def _tell_twins_apart(found: dict[int, Record]) -> None:
    """Put the id beside paths that read alike; an inactive category does not read like an active one (S11)."""
    read: dict[tuple[str, ...], list[int]] = {}
    for categoria_id, record in found.items():
        chain = (*record["ancestrais"], categoria_id)
        read.setdefault(tuple(" ".join(fold(found[one]["nome"]).split()) for one in chain), []).append(categoria_id)
    for twins in read.values():
        for categoria_id in twins if len(twins) > 1 else ():
            found[categoria_id]["caminho"] += f" (#{categoria_id})"


def _cut_cycles(found: dict[int, Record]) -> None:
    """Make the lowest id of a cycle a root (the document only says that cycles are cut)."""
    for categoria_id in sorted(found):
        seen = {categoria_id}
        parent = found[categoria_id]["parent_id"]
        while parent is not None and parent not in seen:
            seen.add(parent)
            parent = found[parent]["parent_id"]
        if parent == categoria_id:
            found[categoria_id]["parent_id"] = None


def _ancestors(found: dict[int, Record], categoria_id: int) -> list[int]:
    chain: list[int] = []
    parent = found[categoria_id]["parent_id"]
    while parent is not None:
        chain.insert(0, parent)
        parent = found[parent]["parent_id"]
    return chain


def category_path(categorias: dict[int, Record], categoria_id: int | None) -> str:
    """Return the path, "Sem categoria" or "Categoria #id (não encontrada)" (S11)."""
    if categoria_id is None:
        return SEM_CATEGORIA
    if categoria_id not in categorias:
        return f"Categoria #{categoria_id} (não encontrada)"
    return str(categorias[categoria_id]["caminho"])


def mapped_group(categorias: dict[int, Record], dre_mapa: dict[int, str], categoria_id: int | None) -> str | None:
    """Return the group of the nearest mapped ancestor, the category itself first, or None (section 0, `dre_mapa`)."""
    if categoria_id is None:
        return None
    chain = [categoria_id]
    if categoria_id in categorias:
        chain += reversed(categorias[categoria_id]["ancestrais"])
    for candidate in chain:
        if candidate in dre_mapa:
            return dre_mapa[candidate]
    return None


def dre_group(categorias: dict[int, Record], dre_mapa: dict[int, str], categoria_id: int | None) -> str:
    """DRE group (R06, S17): mapped; else revenue kinds in Receita bruta, other known ones in Não classificadas."""
    group = mapped_group(categorias, dre_mapa, categoria_id)
    if group is not None:
        return group
    if categoria_id not in categorias:
        return "outras"
    return "receita_bruta" if categorias[categoria_id]["tipo_categoria_id"] == 2 else "nao_classificadas"


def unite_persons(clientes: list[Record], fornecedores: list[Record]) -> dict[int, Record]:
    """Union of clientes and fornecedores by id (S11).

    Returns:
        id -> dict(pessoa_id, nome (nome_fantasia if filled, else nome), documento, cliente, fornecedor, ativo, email,
        telefone, tipo ("Cliente"/"Fornecedor"/"Ambos")).
    """
    found: dict[int, Record] = {}
    for source, flag in ((clientes, "cliente"), (fornecedores, "fornecedor")):
        for person in source:
            pessoa_id = int(person["id"])
            record = found.setdefault(
                pessoa_id,
                {
                    "pessoa_id": pessoa_id,
                    "nome": (person.get("nome_fantasia") or "").strip() or person["nome"],
                    "documento": person.get("documento") or None,
                    "cliente": False,
                    "fornecedor": False,
                    "ativo": bool(person.get("ativo", True)),
                    "email": person.get("email") or None,
                    "telefone": person.get("telefone") or None,
                },
            )
            record[flag] = True
            record["cliente"] = record["cliente"] or bool(person.get("cliente"))
            record["fornecedor"] = record["fornecedor"] or bool(person.get("fornecedor"))
    for record in found.values():
        if record["cliente"] and record["fornecedor"]:
            record["tipo"] = "Ambos"
        else:
            record["tipo"] = "Cliente" if record["cliente"] else "Fornecedor"
    return found


def person_name(pessoas: dict[int, Record], pessoa_id: int | None) -> str:
    """Return the name, with the id where somebody else has it; "Sem pessoa"; "Pessoa #id (não encontrada)" (S11)."""
    if pessoa_id is None:
        return SEM_PESSOA
    if pessoa_id not in pessoas:
        return f"Pessoa #{pessoa_id} (não encontrada)"
    name = str(pessoas[pessoa_id]["nome"])
    same = [one for one in pessoas.values() if fold(one["nome"]).split() == fold(name).split()]
    return name if len(same) == 1 else f"{name.strip()} (#{pessoa_id})"
