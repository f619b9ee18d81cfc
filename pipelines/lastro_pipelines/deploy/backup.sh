#!/bin/sh
# Copy what cannot be read anew from the services: of each company the published file (with all history), its workbooks
# and attachments, and the record of what happened; of a linked folder what it holds. Safe at any moment: the published
# file is finished and never written again, so no run is in the way.
#   backup.sh /srv/lastro/dados /srv/backup/2026-03-16
# And its key, by which what was seen and approved is compared: whoever has the backup has it. Keep lastro.toml beside it,
# and the other secrets apart. To restore: restore.sh, then one `lastro run`.
set -eu
[ $# -eq 2 ] || { echo "usage: backup.sh DATA-FOLDER TARGET" >&2; exit 2; }
umask 077
data=$1 target=$2
while [ "$target" != / ] && [ "$target" != "${target%/}" ]; do target=${target%/}; done
[ -d "$data" ] || { echo "backup.sh: $data: no such folder" >&2; exit 2; }
if [ -e "$target" ] || [ -L "$target" ]; then
    echo "backup.sh: $target: there already; a backup is never overwritten" >&2
    exit 2
fi
mkdir -p -- "$(dirname -- "$target")"
# Ours alone, whatever else stands there: a name that is free, on the disk of the target.
aside=$(mktemp -d -- "$target.XXXXXXXX")
trap 'rm -rf -- "$aside"' EXIT
trap 'exit 1' HUP INT TERM
# The record as it stood at one moment, with its journal: what changed meanwhile is copied again.
copy_record() {
    for _ in 1 2 3 4 5 6 7 8 9; do
        same=yes
        for name in registro.db registro.db-journal; do
            if [ -f "$1/$name" ]; then cp -p -- "$1/$name" "$2/"; fi
        done
        for name in registro.db registro.db-journal; do
            if [ -f "$1/$name" ] && ! cmp -s -- "$1/$name" "$2/$name"; then same=; fi
        done
        [ -z "$same" ] || return 0
    done
    echo "backup.sh: $1/registro.db: written all the time; try again" >&2
    exit 1
}
found=0
for link in "$data"/*/lastro.duckdb; do
    [ -e "$link" ] || continue
    company=$(basename -- "$(dirname -- "$link")")
    # The group's database is made anew from the companies'.
    [ "$company" != grupo ] || continue
    mkdir -- "$aside/$company"
    # First what was written down: it then knows of no run that is later than the file.
    copy_record "$data/$company" "$aside/$company"
    # As versions until 0.3 left it, where no run of a later one has taken it over.
    [ ! -f "$data/$company/entregues.jsonl" ] || cp -p -- "$data/$company/entregues.jsonl" "$aside/$company/"
    [ ! -f "$data/$company/privado/chave" ] || cp -p -- "$data/$company/privado/chave" "$aside/$company/"
    # The file, not the link: a run that publishes meanwhile leaves it alone.
    cp -- "$(readlink -f -- "$link")" "$aside/$company/lastro.duckdb"
    for folder in relatorios entrada anexos; do
        [ -d "$data/$company/$folder" ] || continue
        mkdir -- "$aside/$company/$folder"
        cp -Rp -- "$data/$company/$folder/." "$aside/$company/$folder/"
    done
    found=$((found + 1))
done
[ "$found" -gt 0 ] || { echo "backup.sh: $data: no company has published anything" >&2; exit 1; }
copy_record "$data" "$aside"
(cd -- "$aside" && find . -type f ! -path ./SHA256SUMS -exec sha256sum {} + >SHA256SUMS)
sync
# Never into a folder that has come to be there meanwhile.
mv -T -- "$aside" "$target"
trap - EXIT
echo "backup.sh: $found companies in $target"
