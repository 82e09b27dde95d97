#!/usr/bin/env bash
# How many states a search holds in how much memory: runs one that needs many, and prints a table in Markdown.
#
#   tests/bench-scale.sh FILE [LEVEL [MEMORY [BUDGET [FOLDER]]]]
#
# The default LEVEL is for XSokoban: its sixth board, for fewest moves, takes many hundreds of millions of states. MEMORY
# is a number of bytes with K, M or G. What waits goes to a new folder in FOLDER. The bench fails if what was found does
# not replay, or the search takes more memory than it was given: of what it counts itself, and 2 % more of what the
# system counts.
set -euo pipefail

fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

[[ $# -ge 1 && $# -le 5 ]] || fail "usage: $0 FILE [LEVEL [MEMORY [BUDGET [FOLDER]]]]"
file="$(realpath -- "$1")"
level="${2:-6}"
memory="${3:-6G}"
budget="${4:-3600s}"
most="$(numfmt --from=iec "$memory")" || fail "'$memory' is no number of bytes with K, M or G"
folder="$(mktemp -d "$(realpath -- "${5:-${TMPDIR:-/tmp}}")/sokohive-scale.XXXXXX")"
search=
trap '[[ -z "$search" ]] || kill "$search" 2>/dev/null || true; rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cargo build --release --quiet
ours=target/release/sokohive

begin="$EPOCHREALTIME"
"$ours" solve "$file" --level "$level" --any-tie --memory "$memory" --budget "$budget" \
  --spill-dir "$folder/open" --solution --quiet >"$folder/out" &
search=$!
resident=0
while kill -0 "$search" 2>/dev/null; do
  now="$(awk '/^VmHWM:/ { printf "%.0f", $2 * 1024 }' "/proc/$search/status" 2>/dev/null || true)"
  resident="${now:-$resident}"
  sleep 1
done
# Whatever limit ended it is for the table to say.
wait "$search" || true
search=

result="$(grep -m1 '^RESULT ' "$folder/out")" || fail "no result: $(cat "$folder/out")"
field() { sed -n "s/.* $1=\([^ ]*\).*/\1/p" <<<"$result "; }
solution="$(sed -n 's/^\(SOLUTION\|BEST_FOUND\) //p' "$folder/out" | awk '{ print $NF }')"
if [[ -n "$solution" ]]; then
  "$ours" verify "$file" --level "$level" "$solution" >/dev/null || fail "the solution does not replay"
fi

printf 'Level %s, %s of memory, %s threads, %s, load %s\n\n' \
  "$level" "$memory" "$(field threads)" "$(date +%F)" "$(cut -d' ' -f1 /proc/loadavg)"
printf '| outcome | lower bound | best found | states | attempts | peak counted, MB | peak resident, MB | to disk, MB | s |\n'
printf '|---|---|---|---|---|---|---|---|---|\n'
awk -v outcome="$(field optimal)" -v bound="$(field lower_bound)" -v best="$(field best_found)" \
  -v moves="$(field moves)" -v states="$(field states)" -v attempts="$(field attempts)" \
  -v peak="$(field peak_bytes)" -v resident="$resident" -v disk="$(field spilled_bytes)" \
  -v begin="$begin" -v end="$EPOCHREALTIME" 'BEGIN {
    printf "| %s | %s | %s | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f |\n", outcome, bound ? bound : outcome,
      best ? best : moves, states, attempts, peak / 1e6, resident / 1e6, disk / 1e6, end - begin
  }'

[[ "$(field peak_bytes)" -le "$most" ]] || fail "it counts $(field peak_bytes) bytes of $most"
[[ "$resident" -le $((most / 50 * 51)) ]] || fail "$resident bytes are resident of $most"
