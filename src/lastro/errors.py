"""Errors, named after what the reader should do next.

    LastroError
    ├── ConfigError       fix the settings                                    exit 2
    ├── ApiUnavailable    the retry budget is spent: try later                exit 3
    ├── ApiRejected       our request or token is wrong: fix it               exit 3
    ├── IncompletePass    a listing could not be proved: nothing was replaced exit 4
    ├── SchemaDrift       a field that a rule needs is gone or of another type exit 4
    ├── AmountsTooLarge   an amount is beyond belief: correct it in the service exit 4
    ├── RunHeld           a person must look before this is believed
    │   ├── DeletionsHeld more deletions than allowed: look, then accept      exit 4
    │   ├── ChangesHeld   more of the past changed than allowed: the same     exit 4
    │   └── OriginHeld    other books than before, as it seems: the same      exit 4
    ├── NoticeNotSent     somebody should be told and could not be: mend the way to them exit 3
    ├── WarehouseBusy     another process holds the company: wait for it      exit 5
    └── StorageError      disk full, folder not writable, file damaged        exit 5

Bad rows are not errors: they are data (`raw.rejeitados`, findings). Foreign exceptions (httpx, duckdb, OSError) are
translated at the border of the package that may import them. A message says what failed, where, which keys (at most
`MAX_KEYS`) and what to do; it never holds a response body, a token, a document number or the name of a person.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

MAX_KEYS = 10
EXIT_CHECK_FAILED = 6
"""Exit code of a run whose files were written but in which a check of severity erro failed (S15)."""
EXIT_STALE = 7
"""Exit code of looking: a company is not fresh (`lastro estado`), or something wants mending (`lastro doctor`)."""
EXIT_INTERRUPTED, EXIT_TERMINATED = 130, 143
"""Exit codes after Ctrl+C and after SIGTERM."""
EXIT_ORDER = (EXIT_INTERRUPTED, EXIT_TERMINATED, 1, 5, 4, 3, 2, EXIT_CHECK_FAILED, 0)
"""Exit codes from the worst on; a command over several companies ends with the worst of theirs."""


class LastroError(Exception):
    """Base of every error that a user can cause or cure; `exit_code` is what the command line returns."""

    exit_code = 1
    retryable = False
    cure = "veja o que a mensagem diz"
    """What to do about it in a few words, pt-BR; the message says more."""
    requisicoes: int | None = None
    """Requests that the run which it stopped had sent; None where none had begun."""

    @property
    def documented_name(self) -> str:
        """Name of the nearest ancestor that is defined in this module, the class itself included."""
        return next(kind.__name__ for kind in type(self).__mro__ if kind.__module__ == __name__)


MOST_MISTAKES = 100
"""More would not be read, and take a terminal a minute to write."""


def name_first(mistakes: Iterable[str]) -> tuple[str, ...]:
    """Name the first mistakes, and how many more there are."""
    named = tuple(mistakes)
    more = len(named) - MOST_MISTAKES
    return (*named[:MOST_MISTAKES], f"E mais {more}: corrija estes primeiro.") if more > 0 else named


class ConfigError(LastroError):
    """The settings are wrong; `mistakes` names all of them at once, of very many the first."""

    exit_code = 2
    cure = "corrija a configuração ou o pedido"

    def __init__(self, mistakes: str | Iterable[str]) -> None:
        self.mistakes = (mistakes,) if isinstance(mistakes, str) else name_first(mistakes)
        super().__init__("\n".join(self.mistakes))


class ApiUnavailable(LastroError):
    """The service did not answer usefully within the retry budget."""

    exit_code = 3
    retryable = True
    cure = "tente mais tarde; confira base_url"


class ApiRejected(LastroError):
    """The service refused the request: wrong token, address or parameter. Trying again cannot help."""

    exit_code = 3
    cure = "confira token, endereço e contas"


class IncompletePass(LastroError):
    """A listing could not be proved complete (S13); nothing was replaced."""

    exit_code = 4
    cure = "rode de novo; nada foi trocado"


class SchemaDrift(LastroError):
    """A field that a rule needs is missing from the answers or changed its type."""

    exit_code = 4
    cure = "compare as respostas do serviço com o documento"


class AmountsTooLarge(LastroError):
    """Amounts that no company moves: their sums would leave what the tables hold exactly."""

    exit_code = 4
    cure = "corrija o valor no serviço"


class RunHeld(LastroError):
    """A run would change more of the published past than a person said is normal.

    Attributes:
        held: list -> ids that the run would remove or change; accepting the run by its number accepts these.
    """

    exit_code = 4
    cure = "confira no serviço; se estiver certo, aceite a execução retida"

    def __init__(self, message: str, held: Mapping[str, Collection[int]]) -> None:
        self.held = {lista: frozenset(ids) for lista, ids in held.items()}
        super().__init__(message)


class DeletionsHeld(RunHeld):
    """A run would remove more than `limite_exclusoes`; it waits for `--aceitar-exclusoes N`."""


class ChangesHeld(RunHeld):
    """A run would change more of the past than `limite_alteracoes`; it waits for `--aceitar-alteracoes N`."""


class OriginHeld(RunHeld):
    """A run sees another service, or none of the accounts it knows; it waits for `--aceitar-origem N`.

    `held` is the service's host -> the accounts that it showed; 0 where none was read.
    """


class WarehouseBusy(LastroError):
    """Another process is running this company."""

    exit_code = 5
    retryable = True
    cure = "espere a outra execução terminar"


class NoticeNotSent(LastroError):
    """A notice reached nobody, or not everybody; the figures are none the worse for it."""

    exit_code = 3
    cure = "confira [avisos]; o aviso é tentado de novo na próxima vez"


class StorageError(LastroError):
    """The disk is full, a folder is not writable or a file is damaged."""

    exit_code = 5
    cure = "libere espaço ou a pasta; rode de novo"


def join_keys(keys: Iterable[object]) -> str:
    """Join at most `MAX_KEYS` keys for a message, and say how many more there are.

    >>> join_keys(range(12))
    '0, 1, 2, 3, 4, 5, 6, 7, 8, 9 (+2)'
    """
    listed = [str(key) for key in keys]
    more = len(listed) - MAX_KEYS
    return ", ".join(listed[:MAX_KEYS]) + (f" (+{more})" if more > 0 else "")
