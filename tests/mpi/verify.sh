# All random traces of verify give the same answers when they are distributed over processes.
ranks 3 verify -e parda:phase=500 --seconds=3
ranks 5 verify -e parda:fixup=postfix,phase=2000 --seconds=3
