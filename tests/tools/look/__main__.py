"""Print a workbook as a person would see it: `python -m tests.tools.look [ARQUIVO.xlsx] [--para PASTA] [--dpi 60]`.

Without a file the workbook of the made-up company is written first: two runs a week apart, both on a Monday. Needs
LibreOffice and poppler (`apt-get install libreoffice-calc poppler-utils fonts-crosextra-carlito`; the font has the
widths of Calibri). Leaves the PDF, a PNG per page, and says how many pages each sheet takes. Not collected by pytest.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path

from lastro.commands.demo import leave_typed
from lastro.run.order import RunOrder
from lastro.run.stages import run_company
from lastro.settings import load_settings
from lastro_sandbox import add_life, create_app, describe_settings, make_company, serve
from lastro_sandbox.clock import advance

FIRST, DAYS = date(2026, 11, 16), 7
BRAZILIAN = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<oor:items xmlns:oor="http://openoffice.org/2001/registry">'
    '<item oor:path="/org.openoffice.Setup/L10N"><prop oor:name="ooSetupSystemLocale" oor:op="fuse">'
    "<value>pt-BR</value></prop></item></oor:items>\n"
)
"""A profile of LibreOffice that writes numbers as the readers do."""
TOKEN_VARIABLE, TOKEN = "LASTRO_LOOK_TOKEN", "token-da-casa"


def write_workbook(folder: Path, lancamentos: int) -> Path:
    """Run the made-up company on two Mondays and return the workbook of the second."""
    books = make_company(seed=1, lancamentos=lancamentos, hoje=FIRST)
    life = add_life(books)
    env = {TOKEN_VARIABLE: TOKEN}
    with serve(create_app(books, token=TOKEN)) as service:
        config = folder / "lastro.toml"
        config.write_text(describe_settings(books, service.base_url, TOKEN_VARIABLE, life), encoding="utf-8")
        settings = load_settings(config, env, folder)
        (empresa,) = settings.empresas
        leave_typed(settings, empresa, books, life, FIRST)
        for days in (0, DAYS):
            if days:
                advance(books, days)
            day = date.fromordinal(FIRST.toordinal() + days)
            moment = datetime(day.year, day.month, day.day, 9, 5, tzinfo=UTC)
            run_company(settings, empresa, RunOrder(data_extracao=day), env=env, clock=partial(_keep, moment))
    return max((settings.pasta(empresa) / "relatorios").glob("gerencial_*.xlsx"))


def _keep(moment: datetime) -> datetime:
    return moment


def print_pages(workbook: Path, folder: Path, dpi: int) -> Path:
    """Turn a workbook into a PDF and a PNG per page."""
    missing = [name for name in ("soffice", "pdftoppm", "pdftotext") if shutil.which(name) is None]
    if missing:
        sys.exit(f"look: {', '.join(missing)} not found; install LibreOffice and poppler-utils")
    pdf = make_pdf(workbook, folder)
    for old in folder.glob("pagina-*.png"):
        old.unlink()
    pictures = [str(shutil.which("pdftoppm")), "-r", str(dpi), "-png", str(pdf), str(folder / "pagina")]
    subprocess.run(pictures, check=True, timeout=300)  # noqa: S603
    return pdf


def make_pdf(workbook: Path, folder: Path, fonts: Path | None = None) -> Path:
    """Print a workbook by LibreOffice; with the fonts of a file of fontconfig, where one is given."""
    profile = folder / "perfil"
    (profile / "user").mkdir(parents=True, exist_ok=True)
    (profile / "user" / "registrymodifications.xcu").write_text(BRAZILIAN, encoding="utf-8")
    command = [str(shutil.which("soffice")), f"-env:UserInstallation={profile.resolve().as_uri()}", "--headless"]
    command += ["--convert-to", "pdf", "--outdir", str(folder), str(workbook)]
    env = os.environ | ({} if fonts is None else {"FONTCONFIG_FILE": str(fonts)})
    subprocess.run(command, check=True, capture_output=True, timeout=300, env=env)  # noqa: S603 - found on the path
    return folder / f"{workbook.stem}.pdf"


def count_pages(pdf: Path) -> Counter[str]:
    """Count the pages of each sheet by their footers ("Fluxo diário · página 5 de 25")."""
    tool = str(shutil.which("pdftotext"))
    text = subprocess.run(  # noqa: S603
        [tool, "-layout", str(pdf), "-"], check=True, capture_output=True, text=True, timeout=60
    ).stdout
    return Counter(re.findall(r"(\S+(?: \S+)*) · página \d+ de \d+", text))


def main() -> None:
    """Write, print, count."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.look")
    parser.add_argument("arquivo", nargs="?", type=Path, help="a workbook; default: the made-up company's")
    parser.add_argument("--para", type=Path, default=Path("look"), help="folder for PDF and PNG")
    parser.add_argument("--dpi", type=int, default=60)
    parser.add_argument("--lancamentos", type=int, default=5000)
    chosen = parser.parse_args()
    chosen.para.mkdir(parents=True, exist_ok=True)
    workbook = chosen.arquivo or write_workbook(chosen.para, chosen.lancamentos)
    pdf = print_pages(workbook, chosen.para, chosen.dpi)
    pages = count_pages(pdf)
    for sheet, number in pages.items():
        print(f"{number:4} {sheet}")  # noqa: T201
    print(f"{sum(pages.values()):4} pages in {chosen.para}")  # noqa: T201


if __name__ == "__main__":
    main()
