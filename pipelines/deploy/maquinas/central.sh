#!/bin/sh
# On the central machine: the web server and the one daemon of all. Neither has a token. The web server has no login: it
# listens here alone, and a proxy with login stands before it.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
export DAGSTER_HOME="${DAGSTER_HOME:-/var/lib/lastro/dagster}" DAGSTER_DISABLE_TELEMETRY=1
workspace="${LASTRO_WORKSPACE:-$here/workspace.yaml}"
dagster-daemon run -w "$workspace" &
daemon=$!
trap 'kill "$daemon" 2>/dev/null || true' EXIT
trap 'exit 143' TERM
trap 'exit 130' INT
dagster-webserver -w "$workspace" -h 127.0.0.1 -p "${LASTRO_PORTA_UI:-3000}" &
web=$!
trap 'kill "$daemon" "$web" 2>/dev/null || true' EXIT
wait "$web"
