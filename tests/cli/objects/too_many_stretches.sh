# Requests in more than 65,536 stretches of time are refused.
python3 -c "
print('time,id,size')
for i in range(65537): print(f'{i},{i},1')" >many.csv
$REUSEDIST mrc --weight=bytes --every=1 --out=csv many.csv || true
