"""What is told, how often and to whom: a moved clock over states made by hand, a mail server on loopback."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from http.client import BadStatusLine
from pathlib import Path
from typing import Any

import pytest

from lastro.errors import NoticeNotSent, StorageError, WarehouseBusy
from lastro.grid.verdict import Trust
from lastro.operation.causes import Cause, CauseKind, find_causes
from lastro.operation.channels import Channel, open_channels
from lastro.operation.notice_log import tell
from lastro.operation.state import FRESH, LATE, NEVER, WRONG, CompanyState
from lastro.run.happened import FAILED, HELD, INTERRUPTED, TOKEN, Attempt, Failure
from lastro.run.record import RECORD, query_record, writing
from lastro.settings import Avisos, Email, Empresa, Settings, Webhook
from lastro.warehouse.publication.published_run import PublishedRun
from tests.mailbox import Mailbox, serve_hook, serve_mail

MORNING = datetime(2026, 3, 16, 9, 5, tzinfo=UTC)
"""06:05 in São Paulo."""
DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)


def published(**more: Any) -> PublishedRun:
    own: dict[str, Any] = {
        "execucao_id": 12, "tipo": "completa", "data_base": date(2026, 3, 15), "trust": Trust(),
        "completa_em": datetime.fromisoformat("2026-03-15T09:00:00"), "segundos": 9, "requisicoes": 31, "falhas": {},
        "leitura_id": 12, "leitura_em": datetime.fromisoformat("2026-03-15T09:00:00"), "leitura_requisicoes": 31,
    }  # fmt: skip
    return PublishedRun(**(own | more))


def state(situacao: str = FRESH, **more: Any) -> CompanyState:
    return CompanyState("acme", "Acme Ltda", Path("acme"), situacao, **({"publicada": published()} | more))


def failure(classe: str = "ApiUnavailable", causa: str = FAILED, **more: Any) -> Failure:
    own = Failure(13, causa, classe, 3, "o serviço não deu resposta legível", "tente", MORNING)
    return replace(own, **more)


def causes(of: CompanyState, *, now: datetime = MORNING, free: int | None = None) -> list[Cause]:
    return list(find_causes([of], Avisos(disco_minimo_mb=100), now, free))


def kinds(of: CompanyState, **more: Any) -> list[CauseKind]:
    return [cause.kind for cause in causes(of, **more) if not cause.suspensa]


@pytest.mark.parametrize(
    ("of", "wanted"),
    [
        (state(), []),
        (state(falha=failure()), [CauseKind.FALHOU]),
        (state(falha=failure("DeletionsHeld", HELD)), [CauseKind.RETIDA]),
        (state(falha=failure("ApiRejected", TOKEN)), [CauseKind.TOKEN]),
        (state(LATE, falha=failure()), [CauseKind.FALHOU, CauseKind.ATRASO]),
        (state(NEVER, publicada=None), [CauseKind.ATRASO]),
        # On the first day one fault is one cause, however the first run ended.
        (state(NEVER, publicada=None, falha=failure("ApiRejected", TOKEN)), [CauseKind.TOKEN]),
        (state(NEVER, publicada=None, interrompida=Attempt(1, "completa", MORNING)), [CauseKind.FALHOU]),
        (state(NEVER, publicada=None, falha=failure(de_novo=MORNING)), []),
        (CompanyState("acme", "acme", Path("acme"), WRONG, erros=("chave",)), [CauseKind.CONFIGURACAO]),
        (state(publicada=published(trust=Trust(erros=1), falhas={"V09": "Soma: 1"})), [CauseKind.NAO_CONFIAVEL]),
        (state(publicada=published(mes_fechado="Meses: fev/26")), [CauseKind.MES_FECHADO]),
    ],
)
def test_every_way_to_stand_has_its_causes(of: CompanyState, wanted: list[CauseKind]) -> None:
    assert kinds(of) == wanted


def test_what_waits_for_approval_and_a_low_disk_are_told_with_their_amounts() -> None:
    (cause,) = causes(state(publicada=published(aguardam=(3, Decimal("12345.60")))), free=100_000_000)
    assert (cause.kind, cause.title) == (CauseKind.A_APROVAR, "Acme Ltda (acme): pagamentos esperam aprovação")
    assert cause.houve == "3 pagamentos decididos, R$ 12.345,60 ao todo."
    (cause,) = causes(state(), free=99_999_999)
    assert (cause.kind, cause.empresa) == (CauseKind.DISCO, "")
    assert "Restam 99 MB" in cause.houve


def test_what_is_tried_again_by_itself_waits_for_that_and_from_the_second_failure_on_says_when() -> None:
    tried = state(falha=failure(de_novo=MORNING + 5 * MINUTE))
    assert kinds(tried, now=MORNING + 19 * MINUTE) == []
    assert kinds(tried, now=MORNING + 20 * MINUTE) == [CauseKind.FALHOU]  # it did not begin
    second = state(falha=failure(de_novo=MORNING + 10 * MINUTE, tentativas=1))
    due = [(cause.suspensa, cause.de_novo) for at in (0, 25) for cause in causes(second, now=MORNING + at * MINUTE)]
    assert due == [(False, MORNING + 10 * MINUTE), (False, None)]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    empresa = Empresa("acme", "Acme Ltda", "https://servico.exemplo", "TOKEN")
    return Settings(tmp_path, "America/Sao_Paulo", (empresa,), "lastro.toml")


@pytest.fixture
def box() -> Iterator[Mailbox]:
    with serve_mail() as served:
        yield served


@pytest.fixture
def own(settings: Settings, box: Mailbox) -> Settings:
    """Settings that tell Ana by a mail."""
    mail = Email("127.0.0.1", "lastro@example.com", ("ana@example.com",), box.port)
    return replace(settings, avisos=Avisos(email=mail, disco_minimo_mb=1))


def at(settings: Settings, moment: datetime, *states: CompanyState) -> Sequence[str]:
    return tell(settings, {}, moment, states=states)


def subjects(box: Mailbox) -> list[str]:
    return [str(message["Subject"]).removeprefix("[lastro] ") for message in box.messages]


BAD = "Acme Ltda (acme): a execução falhou (ApiUnavailable)"
LATENESS = "Acme Ltda (acme): sem execução boa há tempo demais"
broken, refused, good = state(falha=failure()), state(falha=failure("ApiRejected", TOKEN)), state()
restated = state(publicada=published(mes_fechado="Meses fechados: fev/26"))
late, under_way = state(LATE, completa_em=MORNING - 27 * HOUR), Attempt(13, "completa", MORNING)
never = state(NEVER, publicada=None)
beta = replace(good, empresa="beta", nome="Beta Ltda")


@pytest.mark.parametrize(
    ("steps", "wanted"),
    [
        # Once a day, which ends at 23:59 in São Paulo, and once when it is good again.
        ([(0, broken), (1, broken), (17, broken), (18, broken), (24, good), (25, good), (48, good)],
         [BAD, BAD, f"em ordem: {BAD}"]),
        # What comes back on the same day is told on the next.
        ([(0, broken), (1, good), (2, broken), (3, good), (4, broken), (24, broken), (25, good), (48, good)],
         [BAD, f"em ordem: {BAD}", BAD, f"em ordem: {BAD}"]),
        # Another error is another cause, and the first is not good for it; nor for being tried again.
        ([(0, broken), (1, refused), (2, good)],
         [BAD, "Acme Ltda (acme): o serviço recusa o token", f"em ordem: {BAD} (e mais 1)"]),
        ([(0, broken), (1, state(falha=failure(de_novo=MORNING + 2 * HOUR))), (3, good)], [BAD, f"em ordem: {BAD}"]),
        # What can never be good again is told once; of who left the settings nothing is called good.
        ([(0, restated), (24, restated), (48, good)], ["Acme Ltda (acme): mês fechado alterado"]),
        ([(0, broken), (24, beta)], [BAD]),
        # Lateness ends with another complete reading: not with a run that begins, nor because more hours are allowed.
        *(([(0, replace(old, andamento=under_way)), (1, old), (25, replace(old, andamento=under_way)), (26, old),
            (28, replace(old, situacao=FRESH)), (29, state(completa_em=MORNING + 28 * HOUR)), (60, good)],
           [LATENESS, LATENESS, f"em ordem: {LATENESS}"]) for old in (late, never)),
        # A run that died is one cause before and after another one begins.
        ([(0, state(interrompida=Attempt(7, "completa", MORNING))),
          (1, state(falha=failure(INTERRUPTED), andamento=under_way))],
         ["Acme Ltda (acme): a execução falhou (interrompida)"]),
    ],
)  # fmt: skip
def test_a_cause_is_told_once_a_day_and_once_when_it_is_good_again(
    own: Settings, box: Mailbox, steps: list[tuple[int, CompanyState]], wanted: list[str]
) -> None:
    for hours, one in steps:
        at(own, MORNING + hours * HOUR, one)
    assert subjects(box) == wanted
    if steps[-1][1] in (good, beta) and steps[-1][0] >= 24:
        assert query_record(own.dir, "SELECT chave FROM avisado") == []


def test_the_page_goes_out_once_a_day_as_a_mail_of_its_own_and_only_where_asked(own: Settings, box: Mailbox) -> None:
    page = "✖ Negativo em 20/03 (−7,00)\n\nFAZER HOJE\n  1  Ligar para 1 cliente: Decora 60"
    shown = state(resumo=page)
    assert at(own, MORNING, shown) == ()
    assert own.avisos.email is not None
    asked = replace(own, avisos=replace(own.avisos, email=replace(own.avisos.email, resumo=True)))
    assert at(asked, MORNING, shown) == ("email: Acme Ltda (acme): resumo de 15/03/2026",)
    assert at(asked, MORNING + HOUR, shown) == at(asked, MORNING + DAY, shown) == ()
    # A run that failed since has a message of its own; a past day, or one grown old, has no page.
    following = state(resumo=page, publicada=published(data_base=date(2026, 3, 16)), falha=failure())
    assert at(asked, MORNING + 2 * DAY, following) == (
        "email: 1 causa, 0 de novo em ordem", "email: Acme Ltda (acme): resumo de 16/03/2026",
    )  # fmt: skip
    for other in (state(LATE, resumo=page), state(resumo=page, publicada=published(passado=True))):
        assert not [told for told in at(asked, MORNING + 9 * DAY, other) if "resumo" in told]
    text = box.messages[0].get_content().replace("\r", "")
    head = "Acme Ltda · data-base 15/03/2026 · execução 12 · CONFIÁVEL"
    assert text.startswith(f"{head}\n\n{page}\n\nEnviado por lastro em ")


def test_the_text_says_since_when_what_it_means_today_and_what_to_do(own: Settings, box: Mailbox) -> None:
    """In one message for all of them; companies of one name are told apart, and no name writes headers."""
    more = {"mensagem": "would remove 1800 \udcff", "de_novo": MORNING + 10 * MINUTE, "tentativas": 1}
    held = state(falha=failure("DeletionsHeld", HELD, **more))
    evil = [replace(broken, empresa=f"e{n}", nome="Acme Ltda\r\nBcc: x@example.com\u2029\udcff") for n in range(59)]
    wrong = CompanyState("gama", "gama", Path("gama"), WRONG, erros=("chave",))
    at(own, MORNING, held, wrong, *evil)
    (message,) = box.messages
    title = "Acme Ltda (acme): execução retida: alguém precisa olhar (DeletionsHeld)"
    assert (message["Subject"], message["Bcc"]) == (f"[lastro] {title} (e mais 60)", None)
    assert box.recipients == [["ana@example.com"]]
    text = message.get_content().replace("\r", "")
    for part in (
        title,
        "O que houve: would remove 1800 \\udcff",
        "Desde: 16/03/2026 06:05",
        "Próxima tentativa, por si mesma: 16/03/2026 06:15",
        "Números de hoje: Continuam os de 15/03/2026 (execução 12); nada foi trocado.",
        "aceite a execução 13 pelo número",
        "Mais: lastro manual DeletionsHeld",
        "\ngama: configuração com erro",
        "(e58): a execução falhou",
    ):
        assert part in text
    assert text.count("O que fazer:") == 40
    assert at(own, MORNING + HOUR, held, wrong, *evil) == ()  # written down, odd characters and all


def test_a_way_that_is_down_is_tried_again_and_holds_up_no_other(own: Settings, box: Mailbox) -> None:
    with serve_hook() as hook:
        both = replace(own, avisos=replace(own.avisos, webhook=Webhook("ENDERECO")))
        for hours, down, shown, mails, posts in (
            (0, True, broken, 0, 1), (1, False, broken, 1, 1), (24, True, good, 1, 2), (48, False, good, 2, 2)
        ):  # fmt: skip
            box.down = down
            refused = pytest.raises(NoticeNotSent, match="code 421") if down else nullcontext()
            with refused:
                tell(both, {"ENDERECO": hook.address}, MORNING + hours * HOUR, states=[shown])
            assert (len(box.messages), len(hook.bodies)) == (mails, posts)
    assert subjects(box) == [BAD, f"em ordem: {BAD}"]
    assert [body["text"].splitlines()[0] for body in hook.bodies] == [f"[lastro] {text}" for text in subjects(box)]


class Broken(Channel):
    """A way that fails as it likes."""

    nome = where = "quebrado"

    def __init__(self, failure: BaseException) -> None:
        super().__init__({}, 1.0)
        self._failure = failure

    def _send(self, *_: object) -> str:
        raise self._failure


@pytest.mark.parametrize("odd", [BadStatusLine("x"), MemoryError(), KeyboardInterrupt()])
def test_however_another_way_fails_nobody_is_told_twice(own: Settings, box: Mailbox, odd: BaseException) -> None:
    ways = (*open_channels(own.avisos, {}), Broken(odd))
    for hours in range(4):
        with pytest.raises((NoticeNotSent, KeyboardInterrupt)) as caught:
            tell(own, {}, MORNING + hours * HOUR, states=[broken], channels=ways)
        assert str(caught.value) in (f"quebrado: {type(odd).__name__}. Não falta nada a: email.", "")
    assert len(box.messages) == 1


def test_what_was_told_is_kept_or_nobody_is_told(settings: Settings, own: Settings, box: Mailbox) -> None:
    gone = replace(own, dir=own.dir / "disco" / "dados")
    assert at(gone, MORNING, broken) == ("email: 1 causa, 0 de novo em ordem",)  # a disk that is not mounted is told
    assert at(gone, MORNING, broken) == ()
    (own.dir / "arquivo").write_text("", encoding="utf-8")
    with pytest.raises(StorageError, match="arquivo"):
        at(replace(own, dir=own.dir / "arquivo" / "dados"), MORNING, broken)
    with writing(own.dir), pytest.raises(WarehouseBusy, match="outro processo"):  # one tells at a time
        tell(own, {}, MORNING, states=[broken], wait=0.1)
    assert at(settings, MORNING, broken) == ()  # nobody to tell
    assert len(box.messages) == 1


def test_a_record_that_is_damaged_tells_once_more(own: Settings, box: Mailbox) -> None:
    at(own, MORNING, broken)
    (own.dir / RECORD).write_bytes(b"nothing" * 1000)
    at(own, MORNING, broken)
    at(own, MORNING, broken)
    assert subjects(box) == [BAD, BAD]
