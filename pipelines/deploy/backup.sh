#!/bin/sh
# Copy what cannot be read anew from the services: of each company the published file (with all history), its workbooks
# and attachments. Safe at any moment: the published file is finished and never written again, so no run is in the way.
#   backup.sh /srv/lastro/dados /srv/backup/2026-03-16
# Keep lastro.toml beside it, and the secrets apart. To restore: restore.sh, then one `lastro run`.
set -eu
[ $# -eq 2 ] || { echo "usage: backup.sh DATA-FOLDER TARGET" >&2; exit 2; }
data=$1 target=$2
umask 077
[ -d "$data" ] || { echo "backup.sh: $data: no such folder" >&2; exit 2; }
[ ! -e "$target" ] || { echo "backup.sh: $target: there already; a backup is never overwritten" >&2; exit 2; }
aside="$target.novo"
rm -rf "$aside"
mkdir -p "$aside"
found=0
for link in "$data"/*/lastro.duckdb; do
    [ -e "$link" ] || continue
    company=$(basename "$(dirname "$link")")
    # The group's database is made anew from the companies'.
    [ "$company" != grupo ] || continue
    mkdir "$aside/$company"
    # The file, not the link: a run that publishes meanwhile leaves it alone.
    cp "$(readlink -f "$link")" "$aside/$company/lastro.duckdb"
    for folder in relatorios anexos; do
        [ ! -d "$data/$company/$folder" ] || cp -R "$data/$company/$folder" "$aside/$company/$folder"
    done
    found=$((found + 1))
done
[ "$found" -gt 0 ] || { rm -rf "$aside"; echo "backup.sh: $data: no company has published anything" >&2; exit 1; }
sync
mv "$aside" "$target"
echo "backup.sh: $found companies in $target"
