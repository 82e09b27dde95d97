#!/usr/bin/env bash
# Times another solver and this one on the same board, in turn, and prints the ratio of their wall times.
#
#   tests/compare-reference.sh REFERENCE_BINARY [BOARD [ROUNDS]]
#
# The reference is the public program mkornreich/sokoban, built by whoever wants to compare: this script
# neither fetches nor builds it. It is called as `REFERENCE_BINARY BOARD 600` and must print a line
# `RESULT BOARD optimal=…`, as this solver does. Both use two threads: the reference as many as there are
# cores, so it is held to two where there are more. Whole processes are timed, from start to end. The
# machine need not be quiet, since both run in every round, but the figures of a busy one are worth less.
set -euo pipefail

fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

[[ $# -ge 1 && $# -le 3 ]] || fail "usage: $0 REFERENCE_BINARY [BOARD [ROUNDS]]"
reference="$(realpath -- "$1")"
board="${2:-p15}"
rounds="${3:-3}"
[[ -x "$reference" ]] || fail "$1 cannot be run"
[[ "$rounds" =~ ^[1-9][0-9]*$ ]] || fail "'$rounds' is no number of rounds"
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cargo build --release --quiet
ours="$PWD/target/release/sokohive"
two_cores=()
[[ "$(nproc)" -le 2 ]] || two_cores=(taskset -c 0,1)
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

# Runs a command and leaves its wall time in milliseconds in `elapsed`, its optimum in `optimum`.
timed() {
  local begin end
  begin="$(date +%s%N)"
  "${two_cores[@]}" "$@" >"$scratch/out" 2>/dev/null || fail "$1 ended with $?"
  end="$(date +%s%N)"
  elapsed=$(((end - begin) / 1000000))
  optimum="$(sed -n "s/^RESULT $board optimal=\([^ ]*\).*/\1/p" "$scratch/out")"
  [[ -n "$optimum" ]] || fail "$1 printed no result for $board"
}

seconds() { printf '%d.%02d' $(($1 / 1000)) $(($1 % 1000 / 10)); }
hundredths() { printf '%d.%02d' $(($1 / 100)) $(($1 % 100)); }

printf '%s, two threads each, %s, load %s\n\n' "$board" "$(date +%F)" "$(cut -d' ' -f1 /proc/loadavg)"
printf '| round | reference, s | sokohive, s | ratio |\n|---|---|---|---|\n'
reference_total=0
ours_total=0
for ((round = 1; round <= rounds; round++)); do
  timed "$reference" "$board" 600
  reference_time=$elapsed reference_optimum=$optimum
  timed "$ours" solve "$board" --threads 2 --any-tie --quiet
  [[ "$optimum" == "$reference_optimum" ]] ||
    fail "the reference says $reference_optimum, sokohive $optimum"
  reference_total=$((reference_total + reference_time))
  ours_total=$((ours_total + elapsed))
  printf '| %d | %s | %s | %s |\n' "$round" "$(seconds "$reference_time")" "$(seconds "$elapsed")" \
    "$(hundredths $((reference_time * 100 / (elapsed > 0 ? elapsed : 1))))"
done
printf '| all | %s | %s | %s |\n' "$(seconds "$reference_total")" "$(seconds "$ours_total")" \
  "$(hundredths $((reference_total * 100 / (ours_total > 0 ? ours_total : 1))))"
