#!/bin/sh
# Counts the words of one of 200 pieces of the texts of examples/wordcount: index i takes the lines whose number, over all texts,
# is from lines * i / 200 + 1 to lines * (i + 1) / 200.
#
#   JOB_COMPLETION_INDEX   0..199
#   MUSTER_WORKSPACE       the folder that all tasks share: gets counts/map/<index>
#
# A word is a run of the letters a to z, whatever their case. The result appears under its name only when it is whole, so a second
# attempt changes nothing.
set -eu
export LC_ALL=C
cd "${MUSTER_WORKSPACE:-$(dirname "$0")}"
mkdir -p counts/map
draft=$(mktemp counts/map/.draft.XXXXXX)
lines=$(cat ../wordcount/texts/*.txt | wc -l)
awk -v from=$((lines * JOB_COMPLETION_INDEX / 200 + 1)) -v to=$((lines * (JOB_COMPLETION_INDEX + 1) / 200)) '
  NR < from || NR > to { next }
  { gsub(/[^A-Za-z]+/, " "); words = split(tolower($0), word, " "); for (i = 1; i <= words; i++) count[word[i]]++ }
  END { for (each in count) printf "%s\t%d\n", each, count[each] }
' ../wordcount/texts/*.txt > "$draft"
mv "$draft" "counts/map/$JOB_COMPLETION_INDEX"
