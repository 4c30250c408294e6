# Checks that verify finds no difference when the references of its random traces are distributed over
# processes.
ranks 3 verify -e parda:phase=500 --traces=200
ranks 5 verify -e parda:fixup=postfix,phase=2000 --traces=200
