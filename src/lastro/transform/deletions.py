"""What it means that a record is no longer listed (S13): two witnesses before anything counts as deleted.

A record of the last recorded run that a proved listing lacks is asked for directly. Present: it lives, and that answer
is its current row. Absent (a 4xx that says so): `excluido`. No clear answer, or not asked: `desaparecido`, out of the
current reports, and `excluido` when the next proved run lacks it too. Belongs here: that decision and its limit. Does
not belong here: asking (`lastro.extract.records`) and storing (`lastro.warehouse.loading.history`).

Persons and categories that leave their list are no deletions of entries; here they only hold a run when many leave.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

import pandas as pd

from lastro.errors import DeletionsHeld, join_keys
from lastro.money import format_centavos_brl, ratio_pct

LEAST_ROWS = 20
"""Fewer missing rows hold a run only where they are more than half of the list (S13.1)."""
LEAST_KNOWN = 5
"""Of a list of fewer rows than this not even that holds a run, the accounts aside (S13.1)."""
CONTAS = "contas"
"""The list of accounts, which a service need not have; where it named some, an empty answer holds a run (S13.1)."""
WHOLE_LISTS = ("categorias", "clientes", "fornecedores", "classificacoes", CONTAS)
"""Lists that come in one answer, whose records have no value of their own."""


class Estado(StrEnum):
    """What became of a record that is missing from its listing."""

    DESAPARECIDO = "desaparecido"
    EXCLUIDO = "excluido"
    VIVO = "vivo"
    MUDOU_DE_CONTA = "mudou de conta"
    INATIVADO = "inativado"
    CONTA_NAO_LIDA = "conta não lida"
    REAPARECEU = "reapareceu"


@dataclass(frozen=True)
class ConfirmationPlan:
    """Which records of one listing are missing and which of them to ask for.

    Attributes:
        to_ask: ids to ask with `GET /:id`, in the order of their urgency, within the budget.
        absent_before: missing, and missing already in the run before.
        absent_now: missing for the first time.
        account_unread: missing because the listing of their account was not read: nothing follows from that.
        reappeared: missing in the run before and listed again.
    """

    to_ask: tuple[int, ...]
    absent_before: tuple[int, ...]
    absent_now: tuple[int, ...]
    account_unread: tuple[int, ...]
    reappeared: tuple[int, ...]


def plan_confirmations(
    known: pd.DataFrame,
    pending: pd.DataFrame,
    listed: Collection[int],
    *,
    read_accounts: Collection[int] | None,
    budget: int,
) -> ConfirmationPlan:
    """Find the records that a proved reading lacks and choose which to ask for (S13).

    Asked first are those that would count as deleted without an answer (missing a second time), then the largest
    amounts, then those whose account was not read; ties by id.

    Args:
        known: records of the last recorded run: registro_id (int64, key), conta_id (Int64), valor_centavos
            (int64, signed), data_vencimento.
        pending: records `desaparecido` since the run before; same columns, disjoint from `known`.
        listed: ids of all records received now, unreadable ones included.
        read_accounts: accounts with a proved listing; None when the listing is not by account (charges).
        budget: most requests to spend.
    """
    here = frozenset(listed)
    second = pending[~pending["registro_id"].isin(here)]
    back = pending.loc[pending["registro_id"].isin(here), "registro_id"]
    missing = known[~known["registro_id"].isin(here)]
    if read_accounts is None:
        unread = pd.Series(data=False, index=missing.index)
    else:
        # A record without account belongs to no listing of its own: any proved reading may show it.
        unread = missing["conta_id"].notna() & ~missing["conta_id"].isin(list(read_accounts)).fillna(value=False)
    groups = (second, missing[~unread], missing[unread])
    order = [registro_id for group in groups for registro_id in _by_urgency(group)]
    return ConfirmationPlan(
        to_ask=tuple(order[: max(0, budget)]),
        absent_before=_sorted_ids(groups[0]),
        absent_now=_sorted_ids(groups[1]),
        account_unread=_sorted_ids(groups[2]),
        reappeared=tuple(sorted(int(registro_id) for registro_id in back)),
    )


def _by_urgency(frame: pd.DataFrame) -> list[int]:
    ordered = frame.assign(tamanho=-frame["valor_centavos"].abs()).sort_values(["tamanho", "registro_id"])
    return [int(registro_id) for registro_id in ordered["registro_id"]]


def _sorted_ids(frame: pd.DataFrame) -> tuple[int, ...]:
    return tuple(sorted(int(registro_id) for registro_id in frame["registro_id"]))


def classify_absences(
    plan: ConfirmationPlan,
    answers: Mapping[int, str],
    known: pd.DataFrame,
    pending: pd.DataFrame,
    details: pd.DataFrame,
    *,
    inactive_accounts: Collection[int],
) -> pd.DataFrame:
    """Say what became of each missing record (S13).

    Args:
        answers: id -> `vivo`, `ausente` or `indefinido`, as `read_details` returns them; ids not asked are absent.
        known: as for the plan.
        pending: as for the plan.
        details: the records that answered, as they are now: registro_id, conta_id; those whose
            answer could not be read are absent and count as alive all the same.
        inactive_accounts: accounts no longer in use.

    Returns:
        One row per missing or returned record, by id: registro_id, estado (of `Estado`), resposta, motivo and the last
        known conta_id, valor_centavos and data_vencimento. Only `excluido` is a deletion.
    """
    last_known = pd.concat([known, pending], ignore_index=True).drop_duplicates("registro_id")
    last_known = last_known.set_index("registro_id")[["conta_id", "valor_centavos", "data_vencimento"]]
    now = details.drop_duplicates("registro_id").set_index("registro_id")
    inactive, again, unread = frozenset(inactive_accounts), set(plan.absent_before), set(plan.account_unread)
    rows: list[tuple[int, str, str | None, str]] = [
        (registro_id, Estado.REAPARECEU, None, "listado de novo") for registro_id in plan.reappeared
    ]
    for registro_id in (*plan.absent_before, *plan.absent_now, *plan.account_unread):
        answer = answers.get(registro_id)
        if answer == "vivo":
            estado, reason = Estado.VIVO, "a leitura direta o devolveu"
            if registro_id in now.index:
                estado, reason = _explain_alive(
                    now.loc[registro_id, "conta_id"],
                    last_known.loc[registro_id, "conta_id"],
                    inactive,
                )
        elif answer == "ausente":
            estado, reason = Estado.EXCLUIDO, "a leitura direta disse que não existe"
        elif registro_id in unread:
            estado, reason = Estado.CONTA_NAO_LIDA, "a listagem da conta não foi lida"
        elif registro_id in again:
            estado, reason = Estado.EXCLUIDO, "ausente em duas execuções completas seguidas"
        else:
            estado, reason = Estado.DESAPARECIDO, "ausente de uma listagem provada"
        rows.append((registro_id, estado, answer, reason))
    outcomes = pd.DataFrame(rows, columns=["registro_id", "estado", "resposta", "motivo"])
    outcomes = outcomes.astype({"registro_id": "int64", "estado": object, "resposta": object, "motivo": object})
    outcomes["estado"] = [str(estado) for estado in outcomes["estado"]]
    outcomes["resposta"] = outcomes["resposta"].where(outcomes["resposta"].notna(), None)
    outcomes = outcomes.join(last_known, on="registro_id").sort_values("registro_id").reset_index(drop=True)
    return outcomes.astype({"conta_id": "Int64", "valor_centavos": "int64", "data_vencimento": "datetime64[us]"})


def _explain_alive(
    account_now: object,
    account_before: object,
    inactive: frozenset[int],
) -> tuple[Estado, str]:
    """Say why a living record was not listed where it was; the first reason that holds."""
    moved = pd.isna(account_now) != pd.isna(account_before) or (  # type: ignore[call-overload]
        not pd.isna(account_now) and account_now != account_before  # type: ignore[call-overload]
    )
    if moved:
        return Estado.MUDOU_DE_CONTA, "está em outra conta"
    if not pd.isna(account_now) and account_now in inactive:  # type: ignore[call-overload]
        return Estado.INATIVADO, "a conta não está mais em uso"
    return Estado.VIVO, "a leitura direta o devolveu"


def find_removed(outcomes: pd.DataFrame) -> tuple[int, ...]:
    """Return the records that leave the current reports with this run; those that left before are not among them."""
    gone = outcomes["estado"].isin([Estado.DESAPARECIDO, Estado.EXCLUIDO, Estado.CONTA_NAO_LIDA])
    return tuple(int(registro_id) for registro_id in outcomes.loc[gone, "registro_id"])


def find_list_losses(
    known: Mapping[str, Collection[int]], now: Mapping[str, Collection[int]]
) -> dict[str, tuple[pd.DataFrame, Collection[int]]]:
    """Find what the lists that come whole lost, in the form that `check_deletions` takes: their rows have no value.

    Such a list is proved by nothing but its answer: what it lacks is all that can be seen. One that was not answered,
    and is not in `now`, lost nothing that anybody knows of.

    >>> find_list_losses({"clientes": [1, 2]}, {"clientes": [2]})["clientes"][1]
    frozenset({1})
    """
    losses: dict[str, tuple[pd.DataFrame, Collection[int]]] = {}
    for lista, before in known.items():
        rows = pd.DataFrame({"registro_id": sorted(before), "valor_centavos": 0}).astype("int64")
        losses[lista] = rows, frozenset(before) - frozenset(now.get(lista, before))
    return losses


def check_deletions(
    lists: Mapping[str, tuple[pd.DataFrame, Collection[int]]],
    limit: Decimal,
    *,
    execucao_id: int,
    accepted: Mapping[str, Collection[int]],
) -> None:
    """Stop a run that would remove too much at once (S13).

    Args:
        lists: list -> (records of the last recorded run: registro_id, valor_centavos; ids that leave the current
            reports, whatever the reason).
        limit: percent of rows or of absolute value that one run may remove.
        execucao_id: the run, which a person may accept by its number.
        accepted: list -> ids that a held run showed and a person accepted.

    Raises:
        DeletionsHeld: when more than the limit of rows or of absolute value of a list would go, and these are at least
            20 rows, more than half of at least 5, or all accounts; and not all of them were accepted.
    """
    held = {lista: frozenset(removed) for lista, (_, removed) in lists.items()}
    for lista, (known, removed) in lists.items():
        gone = known[known["registro_id"].isin(list(removed))]
        rows, total_rows = len(gone), len(known)
        value, total_value = int(gone["valor_centavos"].abs().sum()), int(known["valor_centavos"].abs().sum())
        least_known = 1 if lista == CONTAS and rows == total_rows else LEAST_KNOWN
        halved = total_rows >= least_known and rows * 2 > total_rows
        if (rows < LEAST_ROWS and not halved) or set(removed) <= set(accepted.get(lista, ())):
            continue
        if rows * 100 <= limit * total_rows and value * 100 <= limit * total_value:
            continue
        largest = gone.assign(tamanho=-gone["valor_centavos"].abs()).sort_values(["tamanho", "registro_id"])
        worth = (
            ""
            if lista in WHOLE_LISTS
            else f", {format_centavos_brl(value)} de {format_centavos_brl(total_value)} em valor absoluto "
            f"({ratio_pct(value, total_value) or 0} %)"
        )
        raise DeletionsHeld(
            f"{lista}: esta execução excluiria {rows} de {total_rows} linhas ({ratio_pct(rows, total_rows)} "
            f"%){worth}; o limite é {limit} %. Maiores ids: {join_keys(largest['registro_id'])}. Nada foi "
            f"publicado. Confira no serviço; se saíram mesmo, aceite-a: --so-relatorios --aceitar-exclusoes "
            f"{execucao_id}; senão, espere uma lista inteira e rode de novo.",
            held,
        )
