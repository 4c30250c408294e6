"$REUSEDIST" help --man nosuch
