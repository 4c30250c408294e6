$REUSEDIST convert --kinds=X t
