# Tiles as large as the device's.
"$REUSEDIST" verify -e gpu --traces=6 --longest=60000
