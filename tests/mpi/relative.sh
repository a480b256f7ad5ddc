#!/usr/bin/env bash
# Runs a command with another MPI library of the family that a program was built for:
#
#   relative.sh FOLDER COMMAND...    FOLDER as scripts/install-mpi makes it
#
# Exits with 77 where it is not there.
set -euo pipefail
folder=$1
shift
if [[ ! -f $folder/complete ]]; then
  echo "not tested: ${folder##*/} is not installed; scripts/install-mpi ${folder##*/} says why"
  exit 77
fi
export PATH=$folder/bin:$PATH LD_LIBRARY_PATH=$folder/lib
exec "$@"
