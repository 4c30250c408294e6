# 70 processes are recorded at the same time, more than the 64 full buffers that may wait for the analyzer. No
# process continues before all have started.
timeout 60 "$REUSEDIST" run --trace-children -o t.txt -- "$PROGRAMS/crowd" processes 70
