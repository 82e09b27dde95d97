#!/usr/bin/env bash
# What checkpoints cost: times a search with and without them, in turn, and prints a table in Markdown.
#
#   tests/bench-checkpoints.sh [BOARD [ROUNDS [INTERVAL [FOLDER]]]]
#
# Whole processes are timed. FOLDER is on the disk to be measured; it is made, and deleted at the end.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
board="${1:-p15}"
rounds="${2:-5}"
interval="${3:-2s}"
folder="${4:-$(mktemp -d)}/kept"

cargo build --release --quiet
ours=target/release/sokohive
trap 'rm -rf "$folder"' EXIT

seconds() {
  local begin=$EPOCHREALTIME
  "$@" >/dev/null
  awk -v begin="$begin" -v end="$EPOCHREALTIME" 'BEGIN { printf "%.2f", end - begin }'
}

printf '%s, a checkpoint every %s, %s, load %s\n\n' "$board" "$interval" "$(date +%F)" "$(cut -d' ' -f1 /proc/loadavg)"
printf '| round | without, s | with, s | ratio |\n|---|---|---|---|\n'
without=0 with=0
for ((round = 1; round <= rounds; round++)); do
  plain="$(seconds "$ours" solve "$board" --any-tie --no-scout --quiet)"
  rm -rf "$folder"
  kept="$(seconds "$ours" solve "$board" --quiet --checkpoint "$folder" --checkpoint-every "$interval")"
  awk -v r="$round" -v a="$plain" -v b="$kept" 'BEGIN { printf "| %d | %.2f | %.2f | %.2f |\n", r, a, b, b / a }'
  without="$(awk -v s="$without" -v a="$plain" 'BEGIN { print s + a }')"
  with="$(awk -v s="$with" -v b="$kept" 'BEGIN { print s + b }')"
done
awk -v a="$without" -v b="$with" 'BEGIN { printf "| all | %.2f | %.2f | %.2f |\n", a, b, b / a }'
