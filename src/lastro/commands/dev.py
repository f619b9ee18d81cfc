"""`lastro dev`: the Dagster UI on this machine, with the schedules running."""

from __future__ import annotations

from pathlib import Path

import click

from lastro.commands.demo import DEMO_VARIABLE, REHEARSE
from lastro.commands.invocation import (
    announce_ui,
    config_option,
    print_notices,
    read_only_option,
    read_settings,
    ui_port_option,
)
from lastro.extras import demand
from lastro.terminal import messages


@click.command()
@config_option
@ui_port_option
@read_only_option
@click.option("--mostrar", is_flag=True, help="Só imprime o que falta ao dagster.yaml de outro Dagster.")
def dev(config: Path | None, porta: int, *, somente_leitura: bool, mostrar: bool) -> None:
    """Abre a UI do Dagster nesta máquina, com os horários ligados."""
    demand("dagster", "lastro dev")
    if mostrar:
        from lastro_pipelines.home import LIMIT

        click.echo("# Só isto, no dagster.yaml de outro Dagster; onde já há tag_concurrency_limits, mais uma entrada.")
        click.echo(LIMIT, nl=False)
        return
    settings = read_settings(config)
    print_notices(settings, settings.ids)
    for empresa in settings.empresas:
        if empresa.token_env == DEMO_VARIABLE:
            text = (
                f"{empresa.id} é a demonstração, e o serviço dela já acabou: dá para olhar, não para rodar. {REHEARSE}"
            )
            messages.print(f"lastro: {text}", style="yellow")
    for mistake in (mistake for mistakes in settings.invalidas.values() for mistake in mistakes):
        messages.print(f"lastro: {mistake}", style="yellow")
    from lastro_pipelines.execution import prepare_ui
    from lastro_pipelines.webserver import serve_ui

    prepare_ui(settings, config)
    serve_ui(settings, porta, read_only=somente_leitura, announce=announce_ui)
