#!/usr/bin/env bash
# Makes an authority, certificates and a job token, for tests and for clusters without an authority of
# their own.
#
#   deploy/certificates.sh FOLDER
#
# FOLDER then has ca.pem and ca.key (the authority), coordinator.pem, worker.pem and client.pem with their
# keys, and job-token. What is there already is kept, so that a second run only adds what is missing; to
# renew a certificate, remove it and run this again. SOKOHIVE_DAYS says for how long they hold.
#
# Certificates of servers are for the names that deploy/compose.yaml and deploy/kubernetes use, and all of
# them for `sokohive`, for --tls-name. That of clients is good for clients only. The folder is closed to
# others; the files in it are not, so that they can be mounted into containers that run as another user.
# Keep ca.key away from the cluster: whoever has it can make members of it.
set -euo pipefail

folder="${1:?usage: deploy/certificates.sh FOLDER}"
days="${SOKOHIVE_DAYS:-365}"
command -v openssl >/dev/null || {
  echo "no openssl" >&2
  exit 1
}
mkdir -p "$folder"
chmod 700 "$folder"
cd "$folder"

key() {
  [ -e "$1.key" ] || openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1.key"
}

if [ ! -e ca.pem ]; then
  key ca
  openssl req -new -x509 -key ca.key -out ca.pem -days "$days" -subj "/CN=Sokohive authority $(openssl rand -hex 4)" \
    -addext "basicConstraints=critical,CA:TRUE,pathlen:0" -addext "keyUsage=critical,keyCertSign"
fi

# sign NAME PURPOSES [NAMES]: a certificate, and the purposes and names that it is for.
sign() {
  [ ! -e "$1.pem" ] || return 0
  key "$1"
  local extensions="basicConstraints=critical,CA:FALSE
keyUsage=critical,digitalSignature
extendedKeyUsage=$2"
  [ $# -lt 3 ] || extensions+="
subjectAltName=$3"
  openssl req -new -key "$1.key" -subj "/CN=sokohive-$1" |
    openssl x509 -req -CA ca.pem -CAkey ca.key -days "$days" -out "$1.pem" \
      -extfile <(printf '%s\n' "$extensions") 2>/dev/null
}

here="DNS:sokohive,DNS:localhost,IP:127.0.0.1"
sign coordinator serverAuth,clientAuth \
  "$here,DNS:coordinator,DNS:sokohive-coordinator,DNS:sokohive-coordinator.sokohive"
sign worker serverAuth,clientAuth "$here,DNS:worker,DNS:*.sokohive-worker.sokohive"
sign client clientAuth

[ -e job-token ] || openssl rand -hex 32 >job-token
chmod 644 ./*.pem ./*.key job-token
chmod 600 ca.key
