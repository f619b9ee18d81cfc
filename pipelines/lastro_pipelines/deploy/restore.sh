#!/bin/sh
# Put a backup back into a data folder: then one `lastro run`, which reads the services anew and goes on with the history
# and the numbers of the backup. Runs made since the backup are missing from it. Every company is copied beside its place
# and compared with the sums of the backup before any is moved there; wherever this stops, a company is as it was, or as
# in the backup, or `lastro run` refuses it (StorageError) and this script can be run again.
#   restore.sh /srv/backup/2026-03-16 /srv/lastro/dados
set -eu
[ $# -eq 2 ] || { echo "usage: restore.sh BACKUP DATA-FOLDER" >&2; exit 2; }
umask 077
backup=$1 data=$2
[ -d "$backup" ] || { echo "restore.sh: $backup: no such folder" >&2; exit 2; }
for file in "$backup"/*/lastro.duckdb; do
    [ -s "$file" ] || { echo "restore.sh: $backup: no company in it, or an empty file" >&2; exit 2; }
    place=$data/$(basename -- "$(dirname -- "$file")")
    # Never over what is there: a file that a run writes and its .wal belong together.
    if [ -s "$place/privado/lastro.duckdb" ] || [ -e "$place/lastro.duckdb" ]; then
        echo "restore.sh: $place is not empty; move it away first" >&2
        exit 2
    fi
done
mkdir -p -- "$data"
aside=$(mktemp -d -- "$data/.restaura.XXXXXXXX")
trap 'rm -rf -- "$aside"' EXIT
trap 'exit 1' HUP INT TERM
cp -Rp -- "$backup/." "$aside/"
if [ -f "$aside/SHA256SUMS" ]; then
    (cd -- "$aside" && sha256sum --quiet -c SHA256SUMS >&2) || {
        echo "restore.sh: $backup: damaged, or it changed on its way; nothing was restored" >&2
        exit 1
    }
fi
for file in "$aside"/*/lastro.duckdb; do
    folder=$(dirname -- "$file")
    # That is what `lastro run` knows a company by that has published, also where nothing stands in it.
    [ -f "$folder/registro.db" ] || : >"$folder/registro.db"
    mkdir -- "$folder/privado"
    mv -- "$file" "$folder/privado/lastro.duckdb"
    chmod 600 "$folder/privado/lastro.duckdb"
    # A backup of a lastro before 0.4 has none: then that of the place, if any, is as good.
    key=$data/$(basename -- "$folder")/privado/chave
    if [ -f "$folder/chave" ]; then
        mv -- "$folder/chave" "$folder/privado/chave"
        chmod 600 "$folder/privado/chave"
    elif [ -f "$key" ]; then
        cp -p -- "$key" "$folder/privado/chave"
    fi
done
sync
for file in "$aside"/*/privado/lastro.duckdb; do
    folder=${file%/privado/lastro.duckdb}
    company=$(basename -- "$folder")
    place=$data/$company
    if [ -e "$place" ]; then
        before=$(mktemp -d -- "$data/.antes-da-restauracao.XXXXXXXX")
        # Without a private file, but with an empty record, nothing runs there until the last step.
        [ ! -f "$place/registro.db" ] || cp -p -- "$place/registro.db" "$before/registro.db"
        : >"$place/.registro.novo"
        mv -T -- "$place/.registro.novo" "$place/registro.db"
        for name in registro.db-journal entregues.jsonl relatorios entrada anexos lastro.duckdb publicado privado; do
            # What people type stays where no other stands in the backup.
            [ "$name" != entrada ] || [ -e "$folder/entrada" ] || continue
            if [ -e "$place/$name" ] || [ -L "$place/$name" ]; then mv -T -- "$place/$name" "$before/$name"; fi
        done
        for name in relatorios entrada anexos entregues.jsonl registro.db-journal registro.db privado; do
            if [ -e "$folder/$name" ]; then mv -T -- "$folder/$name" "$place/$name"; fi
        done
        echo "restore.sh: what $place held is in $before"
    else
        mv -T -- "$folder" "$place"
    fi
    sync
    echo "restore.sh: $company"
done
# What people were told: without it they are told once more.
if [ -f "$aside/registro.db" ] && [ ! -e "$data/registro.db" ]; then
    for name in registro.db-journal registro.db; do
        if [ -f "$aside/$name" ]; then mv -T -- "$aside/$name" "$data/$name"; fi
    done
fi
