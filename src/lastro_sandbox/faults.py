"""Faults on demand: what goes wrong, when, and how an answer is bent.

A fault is written ``tipo:chave=valor,chave=valor``, for instance ``500:p=0.1`` or ``429:k=3,retry_after=2``. When it
strikes is seeded: ``p`` is a probability for each matching request, ``k`` names the k-th one, ``vezes`` ends it after
so many strikes, ``caminho`` and ``metodo`` narrow what matches. Without ``p`` and ``k`` it strikes always.

This module decides and bends values; ``app`` does what needs the connection (reset, cut body, slow).
"""

from __future__ import annotations

import random
import re
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from lastro_sandbox.entries import book_entry, remove_with_belongings
from lastro_sandbox.ledger import Books
from lastro_sandbox.model import Entry

KINDS: Final[dict[str, str]] = {
    "reset": "the connection is reset without an answer",
    "corte": "the body ends in the middle and the connection with it",
    "500": "status 500 with a JSON error",
    "502": "status 502 with an HTML page, as a proxy answers",
    "503": "status 503 with a JSON error",
    "429": "status 429; retry_after=SECONDS adds the header",
    "lento": "the answer takes segundos=S longer (default 2)",
    "recusa": "a refusal: status=N (default 422), campo and texto say the error",
    "html200": "an HTML page with status 200",
    "erro200": "an error object with status 200",
    "pagina_repetida": "a page after the first repeats the one before",
    "start_ignorado": "start is ignored: always the first page",
    "limite_menor": "pages hold at most maximo=N rows (default 100), whatever limit asks",
    "deriva": "before a page is read the books change: acao=inserir, excluir, pagar or mover (default: any)",
    "contagem_errada": "tipo_view=count is delta=N off (default 1)",
    "campos_extras": "records carry fields that the document does not know",
    "campos_faltando": "records lack campos=a|b (default valor)",
    "valores_malformados": "the first record of a page has campo=texto (default valor=abc)",
}
_OPTIONS: Final = frozenset(
    {"p", "k", "vezes", "caminho", "metodo", "retry_after", "segundos", "maximo", "acao", "delta", "campos", "campo",
     "texto", "status"}
)  # fmt: skip
DRIFTS: Final = ("inserir", "excluir", "pagar", "mover")
_DRIFT_REACH: Final = 20
"""How far from the beginning of a list it changes: early, so that what a reader has read already moves."""
_WINDOW: Final = re.compile(r"([0-9]{1,6})/([0-9]{1,6})s")


@dataclass(slots=True)
class Fault:
    """One fault and how often it was considered and struck."""

    kind: str
    p: float | None = None
    k: int | None = None
    vezes: int | None = None
    caminho: str = ""
    metodo: str = ""
    options: dict[str, str] = field(default_factory=dict)
    seen: int = 0
    struck: int = 0

    def number(self, name: str, default: float) -> float:
        """Return a numeric option."""
        return float(self.options.get(name, default))

    def strikes(self, rng: random.Random, method: str, path: str) -> bool:
        """Decide whether the fault strikes this request, and count it."""
        if not path.startswith(self.caminho) or (self.metodo and method != self.metodo):
            return False
        self.seen += 1
        if self.vezes is not None and self.struck >= self.vezes:
            return False
        hit = True
        if self.k is not None:
            hit = self.seen == self.k
        if self.p is not None:
            hit = hit and rng.random() < self.p
        self.struck += hit
        return hit


def parse_fault(spec: str) -> Fault:
    """Read one fault.

    >>> parse_fault("429:k=3,retry_after=2").options
    {'retry_after': '2'}

    Raises:
        ValueError: unknown kind or option, or a value that does not fit.
    """
    kind, _, rest = spec.strip().partition(":")
    if kind not in KINDS:
        raise ValueError(f"unknown fault {kind!r}; known: {', '.join(KINDS)}")
    options: dict[str, str] = {}
    for part in rest.split(",") if rest else ():
        name, equals, value = part.partition("=")
        if not equals or name not in _OPTIONS:
            raise ValueError(f"unknown option {part!r} of fault {kind}; known: {', '.join(sorted(_OPTIONS))}")
        options[name] = value
    try:
        p = float(options.pop("p")) if "p" in options else None
        k, vezes = (int(options.pop(name)) if name in options else None for name in ("k", "vezes"))
        for name in ("retry_after", "segundos", "maximo", "delta"):
            if name in options and abs(float(options[name])) > 3600:
                raise ValueError
    except ValueError:
        raise ValueError(f"fault {kind} has a value that is not a number in range: {spec!r}") from None
    if p is not None and not 0 <= p <= 1:
        raise ValueError(f"p of fault {kind} must be between 0 and 1")
    if options.get("status", "422") not in ("400", "401", "403", "404", "405", "409", "413", "422"):
        raise ValueError(f"status of fault {kind} must be one of 400, 401, 403, 404, 405, 409, 413, 422")
    if options.get("acao", DRIFTS[0]) not in DRIFTS:
        raise ValueError(f"acao of fault {kind} must be one of {', '.join(DRIFTS)}")
    return Fault(kind, p, k, vezes, options.pop("caminho", ""), options.pop("metodo", ""), options)


class Windows:
    """Rate windows: at most n requests in any s seconds, several windows at once."""

    def __init__(self, specs: Iterable[str], clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.specs = list(specs)
        self._windows: list[tuple[int, float, dict[str, deque[float]]]] = []
        for spec in self.specs:
            match = _WINDOW.fullmatch(spec)
            if match is None or "0" in match.groups():
                raise ValueError(f"a window is written like 100/60s, not {spec!r}")
            self._windows.append((int(match.group(1)), float(match.group(2)), defaultdict(deque)))

    def admit(self, company: str = "") -> float | None:
        """Admit a company's request, or return for how many seconds it must wait. A refused one does not count."""
        now = self._clock()
        wait = 0.0
        for count, seconds, kept in self._windows:
            times = kept[company]
            while times and times[0] <= now - seconds:
                times.popleft()
            if len(times) >= count:
                wait = max(wait, times[0] + seconds - now)
        if wait > 0:
            return wait
        for _, _, kept in self._windows:
            kept[company].append(now)
        return None


class FaultPlan:
    """The faults and windows in force; may be replaced while the service runs."""

    def __init__(self, specs: Iterable[str] = (), janelas: Iterable[str] = (), semente: int = 1) -> None:
        self.faults: list[Fault] = []
        self.windows = Windows(())
        self.rng = random.Random(semente)  # noqa: S311 - seeded on purpose
        self.replace(specs, janelas, semente)

    def replace(self, specs: Iterable[str] = (), janelas: Iterable[str] = (), semente: int = 1) -> None:
        """Put other faults and windows in force, all counters at zero.

        Raises:
            ValueError: a fault or window can't be read; then nothing was replaced.
        """
        faults, windows = [parse_fault(spec) for spec in specs], Windows(janelas)
        self.faults, self.windows = faults, windows
        self.rng = random.Random(semente)  # noqa: S311 - seeded on purpose

    def pick(self, method: str, path: str) -> list[Fault]:
        """Return the faults that strike a request."""
        return [fault for fault in self.faults if fault.strikes(self.rng, method, path)]

    def describe(self) -> dict[str, Any]:
        """Describe the plan: each fault with its options and counters, and the windows."""
        return {
            "falhas": [
                {
                    "tipo": fault.kind,
                    "p": fault.p,
                    "k": fault.k,
                    "vezes": fault.vezes,
                    "caminho": fault.caminho,
                    "metodo": fault.metodo,
                    **fault.options,
                    "consideradas": fault.seen,
                    "ocorridas": fault.struck,
                }
                for fault in self.faults
            ],
            "janelas": self.windows.specs,
        }


def bend_query(pairs: list[tuple[str, str]], faults: list[Fault]) -> list[tuple[str, str]]:
    """Change ``start`` and ``limit`` as the faults of paging do."""
    query = dict(pairs)
    start, limit = _integer(query.get("start"), 0), _integer(query.get("limit"), 50)
    for fault in faults:
        if fault.kind == "pagina_repetida":
            query["start"] = str(max(0, start - limit))
        elif fault.kind == "start_ignorado":
            query["start"] = "0"
        elif fault.kind == "limite_menor":
            query["limit"] = str(min(limit, int(fault.number("maximo", 100))))
        else:
            continue
        if "start" not in dict(pairs) and query.get("start") == "0":
            del query["start"]
    return list(query.items())


def _integer(text: str | None, default: int) -> int:
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 16 else default


def bend_answer(answer: Any, faults: list[Fault]) -> Any:
    """Change the records of an answer as the faults of contents do."""
    for fault in faults:
        if fault.kind == "erro200":
            answer = {"errors": {"base": ["não foi possível processar a requisição"]}}
        elif fault.kind == "campos_extras":
            answer = _bend_records(answer, lambda record: {**record, "campo_novo": "x", "detalhe": {"nivel": 1}})
        elif fault.kind == "campos_faltando":
            gone = fault.options.get("campos", "valor").split("|")
            answer = _bend_records(answer, lambda record, gone=gone: _without(record, gone))  # type: ignore[misc]
        elif fault.kind == "valores_malformados":
            changed = {fault.options.get("campo", "valor"): fault.options.get("texto", "abc")}
            if isinstance(answer, list) and answer and isinstance(answer[0], dict):
                answer = [{**answer[0], **changed}, *answer[1:]]
            elif isinstance(answer, dict):
                answer = {**answer, **changed}
    return answer


def _without(record: Mapping[str, Any], names: list[str]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in names}


def _bend_records(answer: Any, bend: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    if isinstance(answer, list):
        return [bend(record) if isinstance(record, dict) else record for record in answer]
    return bend(answer) if isinstance(answer, dict) else answer


def drift(books: Books, rng: random.Random, conta_id: int, acao: str | None = None) -> str:
    """Change the books under a reader's feet, near the beginning of one account's list; return what was done.

    Args:
        rng: what chooses the entry.
        conta_id: the account that is being read.
        acao: ``inserir`` (a paid entry before all others), ``excluir`` (an early entry), ``pagar`` (an open entry,
            today, so that it moves in the list), ``mover`` (an early entry, to another account); None for any.
    """
    keys = books.indexes.rows_of("caixa", "conta_id", conta_id)
    action = acao or rng.choice(DRIFTS)
    if action == "inserir":
        day = keys[0][0] if keys else books.hoje
        entry = book_entry(
            books,
            {
                "conta_id": conta_id,
                "categoria_id": next((id_ for id_, category in books.categorias.items() if category.ativo), None),
                "valor": -rng.randrange(1, 10000),
                "descricao": "Lançado durante a leitura",
                "data_vencimento": day,
                "data_pagamento": day,
            },
        )
        return f"inserir {entry.id}"
    entries = (books.lancamentos[id_] for _, id_ in keys)
    fitting = (e for e in entries if _is_simple(e) and (action != "pagar" or e.data_pagamento is None))
    candidates = list(islice(fitting, _DRIFT_REACH))
    if not candidates:
        return f"{action}: nada"
    entry = rng.choice(candidates)
    if action == "excluir":
        remove_with_belongings(books, entry)
    elif action == "pagar":
        books.change_entry(entry, data_pagamento=books.hoje, modified=books.tick())
    else:
        others = [id_ for id_, account in books.contas.items() if id_ != conta_id and account.permite_lancamento]
        if not others:
            return f"{action}: nada"
        books.change_entry(entry, conta_id=rng.choice(others), modified=books.tick())
    return f"{action} {entry.id}"


def _is_simple(entry: Entry) -> bool:
    return entry.lancamento_transferencia_id is None and entry.lancamento_composto_id is None
