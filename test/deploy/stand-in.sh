#!/bin/sh
# Entrypoint of the image that replaces postgres, redis and caddy (engine.ts). `postgres` and `redis-server` behave as in
# the official images: `postgres` creates the user and the database that the variables name, and `redis-server` accepts
# clients of other hosts. All other commands run unchanged.
set -e
if [ "$1" = postgres ]; then
  PATH="$(echo /usr/lib/postgresql/*/bin):$PATH"
  export PGDATA=/var/lib/postgresql/data
  as_postgres() { setpriv --reuid=postgres --regid=postgres --init-groups "$@"; }
  mkdir -p /var/run/postgresql
  chown postgres /var/lib/postgresql /var/run/postgresql
  if [ ! -d "$PGDATA" ]; then
    password="$(mktemp)"
    echo "$POSTGRES_PASSWORD" > "$password"
    chown postgres "$password"
    as_postgres initdb --username="$POSTGRES_USER" --pwfile="$password" --auth=scram-sha-256 -D "$PGDATA"
    rm "$password"
    echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
    echo "CREATE DATABASE $POSTGRES_DB" | as_postgres postgres --single -D "$PGDATA" postgres
  fi
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$@" -c 'listen_addresses=*'
fi
if [ "$1" = redis-server ]; then set -- "$@" --protected-mode no; fi
exec "$@"
