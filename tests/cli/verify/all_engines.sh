"$REUSEDIST" verify --traces=20
