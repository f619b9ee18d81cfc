"""Provably complete ETL and management reports over a Brazilian financial-management API."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - who has an older one is told, not left to a traceback
    sys.exit(
        f"lastro precisa de Python 3.11 ou mais novo; este é o {sys.version_info[0]}.{sys.version_info[1]}. Instale um "
        "e refaça o ambiente com ele: python3.11 -m venv --clear .venv"
    )
try:
    import fcntl  # noqa: F401 - every lock of lastro is one of this module
except ImportError:
    sys.exit(
        "lastro roda em Linux e macOS. No Windows, instale-o dentro do WSL (`wsl --install`), que é um Linux: as "
        "planilhas e o arquivo DuckDB que ele escreve abrem em qualquer sistema."
    )
