# Tiles as large as the device's.
"$REUSEDIST" verify -e gpu --traces=12 --longest=100000
