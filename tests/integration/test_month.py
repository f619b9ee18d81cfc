"""Two companies over twelve mornings of a moved clock: outage, bad token, dead process, removed company; told once."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

import pytest

from lastro.api.retry import RetryPolicy
from lastro.errors import LastroError
from lastro.notify.record import tell
from lastro.operation.group_update import update_group
from lastro.operation.retention import prune
from lastro.operation.state import measure_folder, read_states
from lastro.run import journal
from lastro.run.session import RunSession
from lastro.run.whole import run_stages
from lastro.settings import Avisos, Email, Empresa, Settings
from lastro_sandbox import Books, create_app, golden_company, serve
from tests.golden import expected
from tests.mailbox import Mailbox, serve_mail
from tests.served import TOKEN, clock_at, write_golden

pytestmark = pytest.mark.longo
HASTY = RetryPolicy(attempts=2, first_attempts=2, base=0.01, cap=0.02)
NOWHERE = "http://127.0.0.1:1"


@pytest.fixture
def books() -> Books:
    return golden_company()


@pytest.fixture
def address(books: Books) -> Iterator[str]:
    with serve(create_app(books, token=TOKEN)) as service:
        yield service.base_url


def run(settings: Settings, empresa: Empresa, day: date, *, token: str = TOKEN) -> None:
    """Run a company as the morning would; what stops it stops nobody else."""
    with (
        contextlib.suppress(LastroError),
        RunSession(settings, empresa, lambda: token, clock=clock_at(day), policy=HASTY) as session,
    ):
        run_stages(session)


def test_twelve_mornings(tmp_path: Path, address: str) -> None:
    golden = replace(write_golden(tmp_path, address).empresas[0], limites=())
    acme, beta = replace(golden, id="acme", nome="Acme"), replace(golden, id="beta", nome="Beta")
    beta_down = replace(beta, base_url=NOWHERE)
    told: dict[int, list[str]] = {}
    sizes = []
    with serve_mail() as box:
        mail = Email("127.0.0.1", "lastro@example.com", ("ana@example.com",), box.port, "nenhuma")
        avisos = Avisos(email=mail, disco_minimo_mb=1)
        settings = Settings(tmp_path / "dados", "America/Sao_Paulo", (acme, beta), "lastro.toml", avisos=avisos)
        for number in range(12):
            day = expected.D + timedelta(days=number)
            down = 3 <= number <= 5
            if number == 10:
                settings = replace(settings, empresas=(acme,))
            for empresa in settings.empresas:
                if number == 8 and empresa.id == "beta":
                    # The power goes while its run is under way.
                    journal.note_begin(settings.dir / "beta", 99, "completa", clock_at(day)())
                    continue
                asked = beta_down if down and empresa.id == "beta" else empresa
                run(settings, asked, day, token="errada" if number == 7 and empresa.id == "acme" else TOKEN)
            update_group(settings)
            told[number] = morning(settings, box, day)
            prune(settings, datetime.combine(day, time(9, 20), tzinfo=UTC))
            sizes.append(measure_folder(settings.dir / "acme"))
    assert {number: subjects for number, subjects in told.items() if subjects} == {
        3: ["[lastro] Beta: a execução falhou (ApiUnavailable)"],
        4: ["[lastro] Beta: a execução falhou (ApiUnavailable) (e mais 1)"],
        5: ["[lastro] Beta: a execução falhou (ApiUnavailable) (e mais 1)"],
        6: ["[lastro] em ordem: Beta: a execução falhou (ApiUnavailable) (e mais 1)"],
        7: ["[lastro] Acme: o serviço recusa o token"],
        8: ["[lastro] Beta: a execução falhou (interrompida)"],
        9: ["[lastro] em ordem: Beta: a execução falhou (interrompida)"],
    }
    (state,) = read_states(settings, clock_at(expected.D + timedelta(days=11))())
    assert (state.situacao, state.veredito, state.falha) == ("em dia", "CONFIÁVEL", None)
    # It grows by pages and workbooks alone, a few kilobytes a day.
    assert sizes[-1] - sizes[2] < 2_000_000


def morning(settings: Settings, box: Mailbox, day: date) -> list[str]:
    """Look every quarter of an hour for two hours; return what arrived."""
    before = len(box.messages)
    for quarter in range(8):
        tell(settings, {}, datetime.combine(day, time(9, 10), tzinfo=UTC) + timedelta(minutes=15 * quarter))
    return [str(message["Subject"]) for message in box.messages[before:]]
