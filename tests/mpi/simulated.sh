#!/usr/bin/env bash
# Runs a program on a simulated cluster: simulated.sh RANKS PROGRAM ARGS...
set -euo pipefail
ranks=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$here/../../bench/cluster/platforms.py" "$work" >/dev/null
# Each rank loads the program anew; its thread-local data has to fit.
export GLIBC_TUNABLES=glibc.rtld.optional_static_tls=$((8192 * ranks))
smpirun -platform "$work/eth10g.xml" -hostfile "$work/hosts_flat" -np "$ranks" \
  --log=root.thres:critical --cfg=smpi/privatization:dlopen "$@"
