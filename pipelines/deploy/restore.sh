#!/bin/sh
# Put a backup back into an empty data folder: then one `lastro run`, which reads the services anew and goes on with the
# history and the numbers of the backup. Runs made since the backup are missing from it.
#   restore.sh /srv/backup/2026-03-16 /srv/lastro/dados
set -eu
[ $# -eq 2 ] || { echo "usage: restore.sh BACKUP DATA-FOLDER" >&2; exit 2; }
backup=$1 data=$2
umask 077
[ -d "$backup" ] || { echo "restore.sh: $backup: no such folder" >&2; exit 2; }
for file in "$backup"/*/lastro.duckdb; do
    [ -e "$file" ] || { echo "restore.sh: $backup: no company in it" >&2; exit 2; }
    company=$(basename "$(dirname "$file")")
    # Never over what is there: a file that a run writes and its .wal belong together.
    [ ! -e "$data/$company/privado/lastro.duckdb" ] || {
        echo "restore.sh: $data/$company is not empty; move it away first" >&2
        exit 2
    }
    mkdir -p "$data/$company/privado"
    cp "$file" "$data/$company/privado/lastro.duckdb"
    chmod 600 "$data/$company/privado/lastro.duckdb"
    for folder in relatorios anexos; do
        [ ! -d "$backup/$company/$folder" ] || cp -R "$backup/$company/$folder" "$data/$company/$folder"
    done
    echo "restore.sh: $company"
done
