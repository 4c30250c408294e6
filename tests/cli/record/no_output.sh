"$REUSEDIST" record -- true
