"$REUSEDIST" verify --traces=100
