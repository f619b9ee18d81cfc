"""Customers and suppliers as one table by id (S11)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256

import pandas as pd

from lastro.secret_key import seal

TEXT_COLUMNS = ("documento", "email", "telefone", "dados_bancarios")
BANK_FIELDS = ("banco_id", "agencia", "numero_conta")


def build_pessoas(
    clientes: pd.DataFrame,
    fornecedores: pd.DataFrame,
    referenced: Iterable[int],
    chave: bytes,
    classificacoes: Mapping[int, str],
) -> pd.DataFrame:
    """Unite customers and suppliers by id, one row each, and add placeholders for ids that nobody lists (S11).

    Args:
        clientes: grain person, key `pessoa_id`; `nome`, `nome_fantasia`, `documento`, `email`, `telefone`, `banco_id`,
            `agencia`, `numero_conta`, `cliente`, `fornecedor`, `ativo`, `classificacao_cliente_id`.
        fornecedores: the same columns.
        referenced: person ids that linhas and charges name.
        chave: the company's key.
        classificacoes: name of each classification of people by id.

    Returns:
        Grain person, key `pessoa_id`, sorted by it; `nome` is `nome_fantasia` if filled, else `nome`. The bank account
        is kept sealed alone: it tells that another one is to be paid, and not which, whatever anybody tries.
    """
    stacked = pd.concat([clientes, fornecedores], ignore_index=True)
    flags = stacked.groupby("pessoa_id")[["cliente", "fornecedor"]].any()
    people = stacked.drop_duplicates("pessoa_id").drop(columns=["cliente", "fornecedor"])
    people = people.merge(flags.reset_index(), on="pessoa_id", validate="1:1")
    fantasia = people["nome_fantasia"].fillna("").astype(str).str.strip()
    people["nome"] = fantasia.where(fantasia != "", people["nome"].fillna("").astype(str).str.strip())
    people["nome"] = people["nome"].where(people["nome"] != "", "Pessoa #" + people["pessoa_id"].astype(str))
    digests = _digest_accounts(stacked)
    own = [digests[pessoa_id] for pessoa_id in people["pessoa_id"].tolist()]
    people["dados_bancarios"] = pd.Series(
        [seal(chave, each) if each else "" for each in own], people.index, dtype=object
    )
    people["classificacao"] = people["classificacao_cliente_id"].map(dict(classificacoes))
    people["conhecida"] = True
    missing = sorted(set(referenced) - set(people["pessoa_id"]))
    if missing:
        names = [f"Pessoa #{pessoa_id} (não encontrada)" for pessoa_id in missing]
        unknown = {"cliente": False, "fornecedor": False, "ativo": True, "conhecida": False}
        placeholders = pd.DataFrame({"pessoa_id": missing, "nome": names, **unknown})
        people = pd.concat([people, placeholders], ignore_index=True)
    for name in TEXT_COLUMNS:
        people[name] = people[name].fillna("")
    columns = ["pessoa_id", "nome", *TEXT_COLUMNS, "cliente", "fornecedor", "classificacao", "ativo", "conhecida"]
    return people[columns].sort_values("pessoa_id").reset_index(drop=True)


def _digest_accounts(stacked: pd.DataFrame) -> dict[int, str]:
    """Digest the bank account of each person, of both of its records where they differ; "" for one without any.

    Files of 0.3.0 hold just these digits: what is sealed is them, so that those can be sealed as they stand.
    """
    accounts: dict[int, set[str]] = {}
    columns = [stacked[name].tolist() for name in ("pessoa_id", *BANK_FIELDS)]
    for pessoa_id, *account in zip(*columns, strict=True):
        texts = ["" if pd.isna(value) else str(value) for value in account]
        parts = ["".join(filter(str.isalnum, text.casefold())).lstrip("0") for text in texts]
        accounts.setdefault(int(pessoa_id), set()).update(["/".join(parts)] if any(parts) else [])
    return {
        pessoa_id: sha256(" ".join(sorted(own)).encode()).hexdigest()[:16] if own else ""
        for pessoa_id, own in accounts.items()
    }
