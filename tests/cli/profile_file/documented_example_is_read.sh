# The example in the documentation of the format is read and written back unchanged, except for the release.
sed -n '/^```json$/,/^```$/p' "$DATA"/../../docs/profile-format.md | grep -v '^```' >example.json
"$DATA"/../../scripts/check_profile.py example.json
grep -v '"tool"' example.json >expected
"$REUSEDIST" merge example.json | grep -v '"tool"' | diff - expected
