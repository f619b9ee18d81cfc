"""What is told, how often and to whom last: a moved clock over states made by hand, a mail server on loopback."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from http.client import BadStatusLine
from pathlib import Path
from typing import Any

import pytest

from lastro.errors import ConfigError, NoticeNotSent, StorageError
from lastro.operation.causes import Cause, CauseKind, find_causes
from lastro.operation.channels import Channel, open_channels
from lastro.operation.notice_log import tell, tell_broken
from lastro.operation.state import FRESH, LATE, NEVER, WRONG, CompanyState
from lastro.run.happened import FAILED, HELD, INTERRUPTED, TOKEN, Attempt, Failure
from lastro.run.record import RECORD, query_record
from lastro.settings import Avisos, Email, Empresa, Settings, Webhook
from lastro.warehouse.publication.published_run import PublishedRun
from tests.mailbox import Mailbox, serve_hook, serve_mail

MORNING = datetime(2026, 3, 16, 9, 5, tzinfo=UTC)
"""06:05 in São Paulo."""
DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)


def published(**more: Any) -> PublishedRun:
    own: dict[str, Any] = {
        "execucao_id": 12, "tipo": "completa", "data_base": date(2026, 3, 15), "erros": 0, "rejeitados": 0,
        "completa_em": datetime.fromisoformat("2026-03-15T09:00:00"), "segundos": 9, "requisicoes": 31, "falhas": {},
        "leitura_id": 12, "leitura_em": datetime.fromisoformat("2026-03-15T09:00:00"), "leitura_requisicoes": 31,
    }  # fmt: skip
    return PublishedRun(**(own | more))


def state(situacao: str = FRESH, **more: Any) -> CompanyState:
    return CompanyState("acme", "Acme Ltda", Path("acme"), situacao, **({"publicada": published()} | more))


def failure(classe: str = "ApiUnavailable", causa: str = FAILED, **more: Any) -> Failure:
    own = Failure(13, "completa", causa, classe, 3, "o serviço não deu resposta legível", "tente", MORNING)
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
        (state(NEVER, publicada=None, falha=failure()), [CauseKind.FALHOU]),
        (state(NEVER, publicada=None, interrompida=Attempt(1, "completa", MORNING)), [CauseKind.FALHOU]),
        (state(NEVER, publicada=None, falha=failure(de_novo=MORNING)), []),
        (CompanyState("acme", "acme", Path("acme"), WRONG, erros=("chave",)), [CauseKind.CONFIGURACAO]),
        (state(publicada=published(erros=1, falhas={"V09": "Soma: 1"})), [CauseKind.NAO_CONFIAVEL]),
        (state(publicada=published(mes_fechado="Meses: fev/26")), [CauseKind.MES_FECHADO]),
    ],
)
def test_every_way_to_stand_has_its_causes(of: CompanyState, wanted: list[CauseKind]) -> None:
    assert kinds(of) == wanted


def test_approvers_hear_how_much_waits_and_no_names() -> None:
    waiting = state(publicada=published(aguardam=(3, Decimal("12345.60"))))
    (cause,) = causes(waiting)
    assert (cause.kind, cause.title) == (CauseKind.A_APROVAR, "Acme Ltda (acme): pagamentos esperam aprovação")
    assert cause.houve == "3 pagamentos decididos, R$ 12.345,60 ao todo."


def test_the_disk_is_low_below_its_limit() -> None:
    assert kinds(state(), free=100_000_000) == []
    (cause,) = causes(state(), free=99_999_999)
    assert (cause.kind, cause.empresa) == (CauseKind.DISCO, "")
    assert "Restam 99 MB" in cause.houve


def test_what_is_tried_again_by_itself_waits_for_that() -> None:
    tried = state(falha=failure(de_novo=MORNING + 5 * HOUR / 60))
    assert kinds(tried) == []
    assert kinds(tried, now=MORNING + timedelta(minutes=19)) == []
    assert kinds(tried, now=MORNING + timedelta(minutes=20)) == [CauseKind.FALHOU]


def test_from_the_second_failure_on_it_says_when_the_next_attempt_comes(own: Settings, box: Mailbox) -> None:
    tried = state(falha=failure(de_novo=MORNING + 10 * MINUTE, tentativas=1))
    over = state(falha=failure())  # noon: it is tried no more, and is the same cause
    assert at(own, MORNING, tried) == ("email: 1 causa, 0 de novo em ordem",)
    assert at(own, MORNING + 6 * HOUR, over) == ()
    (message,) = box.messages
    assert "  Próxima tentativa, por si mesma: 16/03/2026 06:15" in message.get_content()
    # It did not begin: then nothing is promised.
    (late,) = causes(tried, now=MORNING + 25 * MINUTE)
    assert (late.de_novo, late.suspensa) == (None, False)


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


def told_of(settings: Settings) -> list[tuple[str]]:
    return query_record(settings.dir, "SELECT chave FROM avisado")


def subjects(box: Mailbox) -> list[str]:
    return [str(message["Subject"]) for message in box.messages]


def test_the_page_goes_out_once_a_day_as_a_mail_of_its_own_and_only_where_asked(own: Settings, box: Mailbox) -> None:
    page = "✖ Negativo em 20/03 (−7,00)\n\nFAZER HOJE\n  1  Ligar para 1 cliente: Decora 60"
    shown = state(resumo=page)
    late = state(resumo=page, publicada=published(data_base=date(2026, 3, 16)))
    assert at(own, MORNING, shown) == ()
    assert own.avisos.email is not None
    asked = replace(own, avisos=replace(own.avisos, email=replace(own.avisos.email, resumo=True)))
    assert at(asked, MORNING, shown) == ("email: Acme Ltda (acme): resumo de 15/03/2026",)
    assert at(asked, MORNING + HOUR, shown) == at(asked, MORNING + DAY, shown) == ()
    # A run that failed since has a message of its own; a day asked again or grown old has no page.
    assert at(asked, MORNING + 2 * DAY, replace(late, falha=failure())) == (
        "email: 1 causa, 0 de novo em ordem", "email: Acme Ltda (acme): resumo de 16/03/2026",
    )  # fmt: skip
    for other in (state(LATE, resumo=page), state(resumo=page, publicada=published(passado=True))):
        assert not [told for told in at(asked, MORNING + 9 * DAY, other) if "resumo" in told]
    first = box.messages[0]
    assert str(first["Subject"]) == "[lastro] Acme Ltda (acme): resumo de 15/03/2026"
    assert (
        first.get_content()
        .replace("\r", "")
        .startswith(f"Acme Ltda · data-base 15/03/2026 · execução 12 · CONFIÁVEL\n\n{page}\n\nEnviado por lastro em ")
    )


BAD, AGAIN = (
    "[lastro] Acme Ltda (acme): a execução falhou (ApiUnavailable)",
    "[lastro] em ordem: Acme Ltda (acme): a execução falhou",
)


def test_a_cause_is_told_once_a_day_and_once_when_it_is_good_again(own: Settings, box: Mailbox) -> None:
    broken = state(falha=failure())
    assert at(own, MORNING, state()) == ()
    assert at(own, MORNING, broken) == ("email: 1 causa, 0 de novo em ordem",)
    for hours in (1, 5, 17):  # 23:05 of the same day
        assert at(own, MORNING + hours * HOUR, broken) == ()
    at(own, MORNING + 18 * HOUR, broken)  # 00:05 of the next
    at(own, MORNING + DAY, state())
    assert at(own, MORNING + DAY + HOUR, state()) == ()
    assert at(own, MORNING + 2 * DAY, state()) == ()
    assert subjects(box) == [BAD, BAD, f"{AGAIN} (ApiUnavailable)"]
    assert told_of(own) == []


def test_what_comes_back_on_the_same_day_is_told_on_the_next(own: Settings, box: Mailbox) -> None:
    broken = state(falha=failure())
    for hours, one in ((0, broken), (1, state()), (2, broken), (3, state()), (4, broken), (24, broken)):
        at(own, MORNING + hours * HOUR, one)
    at(own, MORNING + 25 * HOUR, state())
    assert subjects(box) == [BAD, f"{AGAIN} (ApiUnavailable)", BAD, f"{AGAIN} (ApiUnavailable)"]


def test_another_error_is_another_cause_and_the_first_is_not_good_for_it(own: Settings, box: Mailbox) -> None:
    at(own, MORNING, state(falha=failure()))
    at(own, MORNING + HOUR, state(falha=failure("ApiRejected", TOKEN)))
    at(own, MORNING + 2 * HOUR, state())
    assert subjects(box) == [
        BAD,
        "[lastro] Acme Ltda (acme): o serviço recusa o token",
        "[lastro] em ordem: Acme Ltda (acme): a execução falhou (ApiUnavailable) (e mais 1)",
    ]


def test_a_restated_month_is_told_once_and_never_good_again(own: Settings, box: Mailbox) -> None:
    restated = state(publicada=published(mes_fechado="Meses fechados: fev/26"))
    for days, one in ((0, restated), (1, restated), (2, state()), (3, state())):
        at(own, MORNING + days * DAY, one)
    assert subjects(box) == ["[lastro] Acme Ltda (acme): mês fechado alterado"]
    assert told_of(own) == []


def test_of_a_company_that_left_the_settings_nothing_is_called_good(own: Settings, box: Mailbox) -> None:
    other = replace(state(), empresa="beta", nome="Beta Ltda")
    at(own, MORNING, state(falha=failure()), other)
    assert at(own, MORNING + DAY, other) == ()
    assert subjects(box) == [BAD]
    assert told_of(own) == []


def test_the_text_says_since_when_what_it_means_today_and_what_to_do(own: Settings, box: Mailbox) -> None:
    at(own, MORNING, state(falha=failure("DeletionsHeld", HELD, mensagem="run 13 would remove 1800")))
    text = box.messages[0].get_content()
    for part in (
        "Acme Ltda (acme): execução retida: alguém precisa olhar (DeletionsHeld)",
        "O que houve: run 13 would remove 1800",
        "Desde: 16/03/2026 06:05",
        "Números de hoje: Continuam os de 15/03/2026 (execução 12); nada foi trocado.",
        "aceite a execução 13 pelo número",
        "Mais: lastro manual DeletionsHeld",
    ):
        assert part in text


def test_many_companies_are_one_message(own: Settings, box: Mailbox) -> None:
    states = [CompanyState(f"e{n}", f"Empresa {n}", Path("x"), FRESH, published(), falha=failure()) for n in range(60)]
    at(own, MORNING, *states)
    (message,) = box.messages
    assert message["Subject"] == "[lastro] Empresa 0 (e0): a execução falhou (ApiUnavailable) (e mais 59)"
    text = message.get_content()
    assert text.count("O que fazer:") == 40
    assert "- Empresa 59 (e59): a execução falhou (ApiUnavailable)" in text


def test_a_way_that_is_down_is_tried_again_and_holds_up_no_other(own: Settings, box: Mailbox) -> None:
    broken = state(falha=failure())
    with serve_hook() as hook:
        both = replace(own, avisos=replace(own.avisos, webhook=Webhook("ENDERECO")))
        box.down = True
        with pytest.raises(NoticeNotSent, match="code 421"):
            tell(both, {"ENDERECO": hook.address}, MORNING, states=[broken])
        assert (len(box.messages), len(hook.bodies)) == (0, 1)
        box.down = False
        tell(both, {"ENDERECO": hook.address}, MORNING + HOUR, states=[broken])
        assert (len(box.messages), len(hook.bodies)) == (1, 1)
        box.down = True
        with pytest.raises(NoticeNotSent):
            tell(both, {"ENDERECO": hook.address}, MORNING + DAY, states=[state()])
        box.down = False
        # A cause that nobody else has to hear of is kept for the one who has.
        tell(both, {"ENDERECO": hook.address}, MORNING + 2 * DAY, states=[state()])
    assert subjects(box) == [BAD, f"{AGAIN} (ApiUnavailable)"]
    assert [body["text"].splitlines()[0] for body in hook.bodies] == [BAD, f"{AGAIN} (ApiUnavailable)"]


class Broken(Channel):
    """A way that fails as it likes."""

    nome = where = "quebrado"

    def __init__(self, failure: BaseException) -> None:
        super().__init__({}, 1.0)
        self._failure = failure

    def send(self, *_: object) -> str:
        raise self._failure

    def _send(self, *_: object) -> str:
        raise self._failure


@pytest.mark.parametrize("odd", [BadStatusLine("x"), UnicodeEncodeError("utf-8", "x", 0, 1, "y"), MemoryError()])
def test_however_another_way_fails_nobody_is_told_twice(
    settings: Settings, own: Settings, box: Mailbox, odd: Exception
) -> None:
    broken = state(falha=failure())
    ways = (*open_channels(own.avisos, {}), Broken(odd))
    for hours in range(4):
        with pytest.raises(NoticeNotSent) as caught:
            tell(own, {}, MORNING + hours * HOUR, states=[broken], channels=ways)
        assert str(caught.value) == f"quebrado: {type(odd).__name__}. Não falta nada a: email."
    assert len(box.messages) == 1
    with pytest.raises(NoticeNotSent, match=r"^quebrado: \w+\. Ninguém foi avisado\.$"):
        tell(settings, {}, MORNING, states=[broken], channels=[Broken(odd)])


def test_what_was_told_is_written_down_though_the_next_way_is_interrupted(own: Settings, box: Mailbox) -> None:
    broken = state(falha=failure())
    ways = (*open_channels(own.avisos, {}), Broken(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        tell(own, {}, MORNING, states=[broken], channels=ways)
    assert at(own, MORNING + HOUR, broken) == ()
    assert subjects(box) == [BAD]


def test_a_message_with_half_a_character_is_told_and_written_down(own: Settings, box: Mailbox) -> None:
    broken = state(falha=failure(mensagem="/dados/\udcff: disk full"))
    odd = replace(state(LATE), nome="Acme\u2029\udcff", empresa="beta")
    for hours in (0, 1):
        at(own, MORNING + hours * HOUR, broken, odd)
    (message,) = box.messages
    assert "/dados/\\udcff: disk full" in message.get_content()


def test_companies_of_one_name_are_told_apart(own: Settings, box: Mailbox) -> None:
    states = [replace(state(falha=failure()), empresa=each) for each in ("acme", "beta")]
    wrong = CompanyState("gama", "gama", Path("gama"), WRONG, erros=("chave",))
    at(own, MORNING, *states, wrong)
    (message,) = box.messages
    text = message.get_content()
    for title in ("Acme Ltda (acme): a exec", "Acme Ltda (beta): a exec", "\ngama: configuração com erro"):
        assert title in text


def test_a_name_cannot_write_headers(own: Settings, box: Mailbox) -> None:
    evil = replace(state(falha=failure()), nome="Acme\r\nBcc: x@example.com")
    at(own, MORNING, evil)
    assert box.messages[0]["Bcc"] is None
    assert box.recipients == [["ana@example.com"]]


def test_a_data_folder_that_is_not_there_is_told_and_one_that_cannot_be_made_is_an_error(
    own: Settings, box: Mailbox
) -> None:
    gone = replace(own, dir=own.dir / "disco" / "dados")
    assert at(gone, MORNING, state(falha=failure())) == ("email: 1 causa, 0 de novo em ordem",)
    assert len(box.messages) == 1
    assert at(gone, MORNING, state(falha=failure())) == ()  # what was told is kept
    (own.dir / "arquivo").write_text("", encoding="utf-8")
    with pytest.raises(StorageError, match="arquivo"):
        at(replace(own, dir=own.dir / "arquivo" / "dados"), MORNING, state(falha=failure()))


def test_without_anybody_to_tell_nothing_is_kept(settings: Settings) -> None:
    assert at(settings, MORNING, state(falha=failure())) == ()
    assert list(settings.dir.iterdir()) == []


LATENESS = "[lastro] Acme Ltda (acme): sem execução boa há tempo demais"
OLD, NEW = MORNING - 27 * HOUR, MORNING + 2 * HOUR


@pytest.mark.parametrize("late", [state(NEVER, publicada=None), state(LATE, completa_em=OLD)], ids=["nunca", "velha"])
def test_lateness_ends_with_a_complete_reading_and_not_with_a_run_that_begins(
    own: Settings, box: Mailbox, late: CompanyState
) -> None:
    running = replace(late, andamento=Attempt(13, "completa", MORNING))
    assert at(own, MORNING, running) == ()  # not told while a run may end it
    at(own, MORNING + HOUR / 2, late)
    for hours, one in ((1, running), (25, running), (26, late), (27, running)):
        at(own, MORNING + hours * HOUR, one)
    assert subjects(box) == [LATENESS, LATENESS]
    # Not late any more, because somebody allows it more hours.
    at(own, MORNING + 28 * HOUR, replace(late, situacao=FRESH))
    assert subjects(box) == [LATENESS, LATENESS]
    at(own, MORNING + 29 * HOUR, state(completa_em=NEW))
    assert subjects(box) == [LATENESS, LATENESS, LATENESS.replace("]", "] em ordem:")]


def test_a_failure_that_is_tried_again_is_not_good_for_it(own: Settings, box: Mailbox) -> None:
    at(own, MORNING, state(falha=failure()))
    again = state(falha=failure(de_novo=MORNING + 2 * HOUR))
    assert at(own, MORNING + HOUR, again) == ()
    at(own, MORNING + 3 * HOUR, state())
    assert subjects(box) == [BAD, f"{AGAIN} (ApiUnavailable)"]


def test_a_run_that_died_is_one_cause_before_and_after_another_begins(own: Settings, box: Mailbox) -> None:
    at(own, MORNING, state(interrompida=Attempt(7, "completa", MORNING)))
    under_way = Attempt(8, "completa", MORNING + HOUR)
    assert at(own, MORNING + HOUR, state(falha=failure(INTERRUPTED), andamento=under_way)) == ()
    assert len(box.messages) == 1


def test_settings_that_break_are_told_to_whom_they_named_last(own: Settings, box: Mailbox, tmp_path: Path) -> None:
    file = tmp_path / "lastro.toml"
    file.write_text('dir = "."\n', encoding="utf-8")
    broken = ConfigError("lastro.toml: linha 3")
    assert tell_broken(broken, file, {}, MORNING) == ()  # nobody is known
    named = replace(own, origem=str(file))
    at(named, MORNING, state(falha=failure()))
    for hours in (1, 2):
        tell_broken(broken, file, {}, MORNING + hours * HOUR)
    assert tell_broken(broken, tmp_path / "outro.toml", {}, MORNING) == ()  # which never named anybody
    assert at(named, MORNING + 3 * HOUR, state(falha=failure())) == ("email: 0 causas, 1 de novo em ordem",)
    assert subjects(box) == [BAD, "[lastro] configuração com erro", "[lastro] em ordem: configuração com erro"]


def test_a_record_that_is_lost_or_damaged_tells_once_more(own: Settings, box: Mailbox) -> None:
    broken = state(falha=failure())
    for damage in (b"nothing" * 1000, None, None):
        at(own, MORNING, broken)
        if damage is not None:
            (own.dir / RECORD).write_bytes(damage)
    assert subjects(box) == [BAD, BAD]
