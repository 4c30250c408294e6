mkdir dir; $REUSEDIST mrc dir
