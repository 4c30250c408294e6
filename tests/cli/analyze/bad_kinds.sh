for k in X LX ''; do $REUSEDIST analyze --kinds="$k" trace || echo "exit $?"; done
