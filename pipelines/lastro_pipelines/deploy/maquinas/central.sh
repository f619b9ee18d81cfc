#!/bin/sh
# On the central machine: the web server and the one daemon of all. Neither has a token. The web server has a guard and no
# login: it listens here alone. The address of a proxy with login before it is given in LASTRO_ENDERECO_UI.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
export DAGSTER_HOME="${DAGSTER_HOME:-/var/lib/lastro/dagster}" DAGSTER_DISABLE_TELEMETRY=1
workspace="${LASTRO_WORKSPACE:-$here/workspace.yaml}"
dagster-daemon run -w "$workspace" &
daemon=$!
trap 'kill "$daemon" 2>/dev/null || true' EXIT
trap 'exit 143' TERM
trap 'exit 130' INT
lastro web -w "$workspace" --porta "${LASTRO_PORTA_UI:-3000}" ${LASTRO_ENDERECO_UI:+--endereco "$LASTRO_ENDERECO_UI"} &
web=$!
trap 'kill "$daemon" "$web" 2>/dev/null || true' EXIT
wait "$web"
