#!/usr/bin/env bash
# Renders the Kubernetes manifests and checks them against the schemas of the API. What they mean is
# checked by tests/tests/manifests.rs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if ! command -v kubectl >/dev/null; then
  echo "skipped: no kubectl"
  exit 0
fi
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
python3 -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install --quiet --disable-pip-version-check kubernetes-validate
for folder in base overlays/scale; do
  kubectl kustomize "deploy/kubernetes/$folder" >"$scratch/rendered.yaml"
  "$scratch/venv/bin/kubernetes-validate" --strict "$scratch/rendered.yaml"
done
