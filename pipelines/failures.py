"""How an error that a user can cure stands in Dagster: one red step, a sentence, what to do, and no stack."""

import dagster as dg
from dagster._core.errors import DagsterUserCodeProcessError
from dagster_shared.error import SerializableErrorInfo

from lastro.errors import LastroError


class StageFailure(DagsterUserCodeProcessError, dg.Failure):
    """A stage that ended with an error of ours.

    Dagster prints the frames it passed through under every failure, which say nothing to whoever has to mend a setting.
    The one kind of error that it shows as it is handed over is that of another process, so this is one; a test holds
    what the UI gets.
    """

    def __init__(self, error: LastroError) -> None:
        told = SerializableErrorInfo(str(error), [], error.documented_name)
        DagsterUserCodeProcessError.__init__(self, str(error), user_code_process_error_infos=[told])
        self.metadata = {
            "erro": dg.MetadataValue.text(str(error)),
            "classe": dg.MetadataValue.text(error.documented_name),
            "codigo_saida": dg.MetadataValue.int(error.exit_code),
            "o_que_fazer": dg.MetadataValue.text(error.cure),
        }
        self.allow_retries = False
