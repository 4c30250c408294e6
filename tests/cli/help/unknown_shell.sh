"$REUSEDIST" help --completion=tcsh
