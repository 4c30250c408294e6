# The steps "Measure" and "Compare" of the example workflow are run unchanged: an
# unchanged program passes, and one that lost its tiling fails.
step() {
    awk -v name="- name: $1" '
        index($0, "- name: ") { inside = index($0, name) > 0; script = 0 }
        inside && script { print }
        inside && /run: \|/ { script = 1 }' "$EXAMPLES/github-actions.yml"
}
ln -s "$EXAMPLES" examples
PATH=$(dirname "$REUSEDIST"):$PATH
mkdir locality
step Measure >measure.sh
step Compare >compare.sh
bash -e measure.sh
mv locality.json locality/baseline.json
bash -e measure.sh
bash -e compare.sh | grep -c ^passed
grep -c '<testcase' locality.xml
sed -i 's/tiled/naive/' measure.sh
bash -e measure.sh
status=0
bash -e compare.sh >/dev/null 2>said || status=$?
echo "exit status $status"
grep -o 'rule .*' said
grep -c '<failure' locality.xml
