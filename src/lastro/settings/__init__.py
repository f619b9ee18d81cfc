"""`lastro.toml` and the environment as frozen values: `model` says what there is, the other modules how it is read."""

from lastro.settings.document import find_settings_file
from lastro.settings.ladder import DAR_BAIXA, LEMBRETE, REGUA, EtapaRegua
from lastro.settings.loading import load_settings, read_tokens, setting_rows, typed_settings
from lastro.settings.model import (
    DEFAULT_FUSO,
    EXPORT_FORMATS,
    Conta,
    Empresa,
    Excel,
    Grupo,
    GrupoTransferencia,
    Parametros,
    SaldoConferido,
    Settings,
)
from lastro.settings.operation import Avisos, Email, Retencao, Webhook
from lastro.settings.parsers import (
    DRE_GRUPOS,
    FILE_NAME,
    GROUP_FOLDER,
    Window,
)
from lastro.settings.scenarios import Atraso, Avulso, Cenario, Queda, Recorte

__all__ = [
    "DAR_BAIXA",
    "DEFAULT_FUSO",
    "DRE_GRUPOS",
    "EXPORT_FORMATS",
    "FILE_NAME",
    "GROUP_FOLDER",
    "LEMBRETE",
    "REGUA",
    "Atraso",
    "Avisos",
    "Avulso",
    "Cenario",
    "Conta",
    "Email",
    "Empresa",
    "EtapaRegua",
    "Excel",
    "Grupo",
    "GrupoTransferencia",
    "Parametros",
    "Queda",
    "Recorte",
    "Retencao",
    "SaldoConferido",
    "Settings",
    "Webhook",
    "Window",
    "find_settings_file",
    "load_settings",
    "read_tokens",
    "setting_rows",
    "typed_settings",
]
