# All random traces of verify, dealt to processes.
ranks 3 verify -e parda:phase=500 --seconds=3
ranks 5 verify -e parda:fixup=postfix,phase=2000 --seconds=3
