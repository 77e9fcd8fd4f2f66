# Sums up the second column of a file: sum.sh REGION FILE → reports/REGION.txt
set -eu
[ -e "$2" ] || { echo "$2: no such file" >&2; exit 3; }
total=$(awk -F, '{ sum += $2 } END { print sum + 0 }' "$2")
mkdir -p reports
# Written beside and renamed: a second attempt never finds half a report.
echo "$1: $total" > "reports/.$1-$$" && mv "reports/.$1-$$" "reports/$1.txt"
echo "$1: $total"
