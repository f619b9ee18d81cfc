#!/bin/sh
# On each machine that runs companies: prepares its home and becomes the code server. Its port must be reachable from
# the central machine alone (gRPC has no login): a private network, or a firewall.
exec lastro codigo --config "${LASTRO_CONFIG:-/etc/lastro/lastro.toml}" --host "${LASTRO_HOST:-127.0.0.1}" \
  --porta "${LASTRO_PORTA:-4201}"
