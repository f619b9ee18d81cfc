"""How an error that a user can cure stands in Dagster: one red step, the sentence first, and what to do."""

import dagster as dg

from lastro.errors import LastroError


def describe_failure(error: LastroError) -> dg.Failure:
    """Describe an error of ours; it is not tried again by Dagster, which would hold the slot meanwhile."""
    return dg.Failure(
        f"{error.documented_name}: {error}",
        metadata={
            "erro": dg.MetadataValue.text(str(error)),
            "classe": dg.MetadataValue.text(error.documented_name),
            "codigo_saida": dg.MetadataValue.int(error.exit_code),
            "o_que_fazer": dg.MetadataValue.text(error.cure),
        },
        allow_retries=False,
    )
