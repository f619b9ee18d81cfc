#!/bin/sh
# On each machine that runs companies: the code server, under the name that is the setting `local`. Its port must be
# reachable from the central machine alone (gRPC has no login): a private network, or a firewall.
export LASTRO_CONFIG="${LASTRO_CONFIG:-/etc/lastro/lastro.toml}" DAGSTER_DISABLE_TELEMETRY=1
exec dagster code-server start -m lastro_pipelines.definitions --location-name "${LASTRO_LOCAL:?the setting local}" \
  -h "${LASTRO_HOST:-127.0.0.1}" -p "${LASTRO_PORTA:-4201}"
