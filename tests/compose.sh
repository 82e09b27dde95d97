#!/usr/bin/env bash
# Brings the compose file up on a real Docker engine and proves p15 on it: one worker ends with MEMORY,
# four of the same size prove 184; so they do if one is killed, or cut off for half a minute. Takes the commands that `cargo build --release --workspace` has made.
#
# Where no image can be pulled, the base image is made from Debian's packages under the name that the
# Dockerfile gives it. Everything started here is taken down again. Without an engine it says so and
# ends well.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

if ! docker info >/dev/null 2>&1; then
  echo "skipped: no Docker engine can be reached"
  exit 0
fi
if docker compose version >/dev/null 2>&1; then
  compose=(docker compose)
elif command -v docker-compose >/dev/null; then
  compose=(docker-compose)
else
  echo "skipped: neither docker compose nor docker-compose is here"
  exit 0
fi
compose+=(-f deploy/compose.yaml -p sokohive-test)
SOKOHIVE_SECRETS="$(mktemp -d)"
export SOKOHIVE_SECRETS
trap 'rm -rf "$SOKOHIVE_SECRETS"' EXIT
deploy/certificates.sh "$SOKOHIVE_SECRETS"
export DOCKER_BUILDKIT=0 COMPOSE_DOCKER_CLI_BUILD=0
export SOKOHIVE_TAG=test SOKOHIVE_TARGET=prebuilt SOKOHIVE_MIN_WORKERS=1 SOKOHIVE_PORT=17400
export SOKOHIVE_CHECKPOINT_EVERY=2s
# The search may hold so much in each worker, and its container somewhat more: on p15 one worker of
# this size is too small, four are enough.
export SOKOHIVE_WORKER_MEMORY="${SOKOHIVE_WORKER_MEMORY:-96M}"
export SOKOHIVE_WORKER_LIMIT="${SOKOHIVE_WORKER_LIMIT:-192m}"

base="$(sed -n 's/^ARG DEBIAN=//p' deploy/Dockerfile)"
release="${base#debian:}"
release="${release%-slim}"
make_base() {
  command -v debootstrap >/dev/null || apt-get install -y -q debootstrap >/dev/null
  local root
  root="$(mktemp -d)"
  debootstrap --variant=minbase "$release" "$root" >"$root.log" 2>&1 || {
    tail "$root.log" >&2
    fail "debootstrap"
  }
  tar -C "$root" -c . | docker import - "$base" >/dev/null
  rm -rf "$root" "$root.log"
}
if ! docker image inspect "$base" >/dev/null 2>&1; then
  timeout 60 docker pull -q "$base" >/dev/null 2>&1 || {
    echo "no image can be pulled: making $base from packages"
    make_base
  }
fi

clean() {
  status=$?
  if [ "$status" -ne 0 ]; then
    "${compose[@]}" ps || true
    "${compose[@]}" logs --tail=40 || true
  fi
  "${compose[@]}" down -v --remove-orphans >/dev/null 2>&1 || true
  rm -rf "$SOKOHIVE_SECRETS"
  exit "$status"
}
trap clean EXIT

"${compose[@]}" config -q
"${compose[@]}" build --quiet coordinator 2>/dev/null || "${compose[@]}" build coordinator

client() { "${compose[@]}" exec -T coordinator sokohive "$@" --coordinator localhost:7400; }
wait_for_workers() {
  for _ in $(seq 60); do
    if [ "$(client status 2>/dev/null | grep -c '^WORKER ')" = "$1" ]; then return; fi
    sleep 1
  done
  fail "not $1 workers after a minute"
}

echo "one worker of $SOKOHIVE_WORKER_MEMORY"
"${compose[@]}" up -d --scale worker=1 >/dev/null 2>&1
wait_for_workers 1
answer="$(client submit p15 --watch --quiet)" && code=0 || code=$?
printf '%s\n' "$answer"
[ "$code" = 3 ] || fail "exit code $code, expected 3"
grep -Eq '^RESULT p15 optimal=MEMORY lower_bound=[1-9]' <<<"$answer" || fail "not MEMORY with a bound"

echo "four workers of $SOKOHIVE_WORKER_MEMORY"
"${compose[@]}" up -d --scale worker=4 >/dev/null 2>&1
wait_for_workers 4
answer="$(client submit p15 --watch --quiet --solution)"
printf '%s\n' "$answer"
grep -Eq '^RESULT p15 optimal=184 moves=184 ' <<<"$answer" || fail "p15 is not proven to take 184 moves"
grep -Eq '^SOLUTION p15 moves=184 [udlrUDLR]{184}$' <<<"$answer" || fail "p15 has no solution"

echo "everyone is healthy"
for container in $("${compose[@]}" ps -q); do
  for _ in $(seq 30); do
    health="$(docker inspect -f '{{.State.Health.Status}}' "$container")"
    if [ "$health" = healthy ]; then break; fi
    sleep 1
  done
  [ "$health" = healthy ] || fail "container $container is $health"
done

echo "nobody is served without a certificate, or without the token"
refused() {
  local answer
  answer="$("${compose[@]}" exec -T coordinator env "${@:2}" sokohive status 2>&1)" && fail "served without: ${*:2}"
  grep -Eq "$1" <<<"$answer" || fail "refused by other words: $answer"
}
refused "does not speak without TLS|perhaps it wants TLS" -u SOKOHIVE_TLS_CA -u SOKOHIVE_TLS_CERT -u SOKOHIVE_TLS_KEY -u SOKOHIVE_TLS_NAME
refused "a job token is missing" -u SOKOHIVE_JOB_TOKEN_FILE

echo "everyone shows figures"
page() {
  docker exec "$1" bash -c 'exec 3<>/dev/tcp/127.0.0.1/7480
    printf "GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n" >&3
    cat <&3'
}
for container in $("${compose[@]}" ps -q worker); do
  figures="$(page "$container")"
  grep -q '^sokohive_worker_jobs_total [1-9]' <<<"$figures" || fail "$container shows no figures"
done
figures="$(page "$("${compose[@]}" ps -q coordinator)")"
grep -q '^sokohive_coordinator_workers 4' <<<"$figures" || fail "the coordinator shows no figures"

# A search that takes some ten seconds, in the middle of which something happens to a worker.
survives() {
  local number="$1" answer
  shift
  client submit p15 >/dev/null
  sleep 4
  "$@"
  answer="$(client watch "$number" --quiet)"
  printf '%s\n' "$answer"
  grep -Eq '^RESULT p15 optimal=184 moves=184 ' <<<"$answer" || fail "p15 is not proven to take 184 moves"
}
victim="$("${compose[@]}" ps -q worker | head -n 1)"

echo "a worker killed in the middle of a search, and started again"
kill_and_start() {
  docker kill "$victim" >/dev/null
  sleep 3
  docker start "$victim" >/dev/null
}
survives 3 kill_and_start

echo "a worker cut off for half a minute"
wait_for_workers 4
cut_off() {
  docker network disconnect sokohive-test_default "$victim"
  sleep 30
  docker network connect sokohive-test_default "$victim"
}
survives 4 cut_off

echo "a coordinator killed in the middle of a search, and started again"
wait_for_workers 4
coordinator="$("${compose[@]}" ps -q coordinator)"
restart_coordinator() {
  docker kill "$coordinator" >/dev/null
  sleep 1
  docker start "$coordinator" >/dev/null
  for _ in $(seq 30); do
    if client status >/dev/null 2>&1; then return; fi
    sleep 1
  done
  fail "the coordinator does not come back"
}
survives 5 restart_coordinator

echo "the compose file holds"
