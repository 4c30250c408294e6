#!/usr/bin/env bash
# Runs one case of reusedist-mpi in an empty directory. The case has failed if its exit status is
# not 0.
#
# usage: tests/mpi/run.sh MPIEXEC REUSEDIST REUSEDIST_MPI CASE.sh
#
# A case can use these functions:
#   ranks N COMMAND...   starts N processes of reusedist-mpi, even if there are fewer processors
#   reusedist ARGUMENT...   runs the ordinary command
#   give_up MESSAGE   ends the case as failed
set -euo pipefail
mpiexec=$1 plain=$2 parallel=$3 case=$(realpath "$4")

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_MCA_orte_execute_quiet=1 # prevents help texts of the launcher
export LC_ALL=C.UTF-8 NO_COLOR=1

reusedist() { "$plain" "$@"; }
ranks() {
    local n=$1
    shift
    timeout --kill-after=5 60 "$mpiexec" -n "$n" "$parallel" "$@"
}
give_up() {
    echo "$*" >&2
    exit 1
}

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
. "$case"
