#!/bin/sh
# Builds the MPI tests with both libraries and runs them natively, with nothing preloaded.
#
#   tests/mpi/run_native.sh [BUILD_DIR]        (default /tmp/tutti-native-tests)
#
# MPICH busy-waits: YIELD_PRELOAD may name a library that makes it yield when ranks outnumber
# cores (UCPYIELD_SLEEP is passed to it). Exits non-zero at the first failure.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-/tmp/tutti-native-tests}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 UCPYIELD_SLEEP=50
flags="-std=c++17 -O2 -Wall -Wextra -Wno-cast-function-type -pthread"

compile() { # library
  mkdir -p "$build/$1"
  cd "$build/$1"
  "mpicxx.$1" $flags -o collectives_test "$here"/collectives/*.cpp
  for test in errors leak threads; do
    "mpicxx.$1" $flags -o "${test}_test" "$here/${test}_test.cpp"
  done
  # Fortran passes buffers of any type to one procedure: gfortran must be told.
  for kind in mpif usempi f08; do
    mkdir -p "modules_$kind"
    "mpifort.$1" -O1 -w -fallow-argument-mismatch -J "modules_$kind" -I "$here/fortran" \
      -o "collectives_$kind" "$here/fortran/collectives_$kind.f90"
  done
}

launch() { # library p program...
  library=$1
  p=$2
  shift 2
  if [ "$library" = mpich ]; then
    LD_PRELOAD=${YIELD_PRELOAD:-} mpirun.mpich -np "$p" "$@"
  else
    mpirun.openmpi --oversubscribe --mca mpi_yield_when_idle 1 -np "$p" "$@"
  fi
}

for library in mpich openmpi; do
  compile "$library"
  cd "$build/$library"
  for p in 1 2 3 4 5 8; do
    for test in collectives_test leak_test threads_test collectives_mpif collectives_usempi \
      collectives_f08; do
      echo "== $library p=$p $test"
      launch "$library" "$p" "./$test"
    done
  done
  for p in 2 3 4; do
    echo "== $library p=$p errors_test"
    launch "$library" "$p" ./errors_test >"errors.$p"
    launch "$library" "$p" ./errors_test >"errors.$p.again"
    cmp "errors.$p" "errors.$p.again" # the output must not depend on timing
  done
done
echo "all passed"
