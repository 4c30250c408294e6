# Checks `gpu` with tiles as large as on the device.
"$REUSEDIST" verify -e gpu --traces=6 --longest=60000
