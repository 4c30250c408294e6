# A typo in a command, option, engine, format or key gets a suggestion; other mistakes do not.
try() { { "$REUSEDIST" "$@" 2>&1 || true; } | head -1 | cut -c1-100; }
try anlyze x
try help anaylze
try qqqqqq
try analyze --atribute x
try analyze --bloc=64 x
try analyze --qqqqqq x
try analyze -e strem x
try analyze -e shards:raet=0.1 x
try analyze -f lakcey "$0"
try analyze --progress=alwas x
try engines shard
try formats champ
try generate zif:blocks=4
try generate zipf:block=4
try mrc --hist=logg x
