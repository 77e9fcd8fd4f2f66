#!/bin/sh
# Adds up the counts of two indexes of another Job: index i those of 2i and 2i + 1. The last index of an odd number stands alone.
#
#   sh merge.sh FROM COMPLETIONS TO     reads counts/FROM/<index>, of which there are COMPLETIONS; writes counts/TO/<index>
set -eu
cd "${MUSTER_WORKSPACE:-$(dirname "$0")}"
first=$((2 * JOB_COMPLETION_INDEX))
second=$((first + 1))
set -- "$1" "$2" "$3" "counts/$1/$first"
[ "$second" -ge "$2" ] || set -- "$@" "counts/$1/$second"
mkdir -p "counts/$3"
to=counts/$3/$JOB_COMPLETION_INDEX
draft=$(mktemp "counts/$3/.draft.XXXXXX")
shift 3
# A file that is not there ends awk, and so the task, with an error.
awk -F '\t' '{ count[$1] += $2 } END { for (each in count) printf "%s\t%d\n", each, count[each] }' "$@" > "$draft"
mv "$draft" "$to"
