#!/bin/sh
# The same counts without Muster, by other programs, one after the other: what `sort counts/merge-1/0` must be equal to.
set -eu
export LC_ALL=C
cd "$(dirname "$0")"
cat ../wordcount/texts/*.txt | tr -cs 'A-Za-z' '\n' | tr 'A-Z' 'a-z' | sed '/^$/d' | sort | uniq -c |
  awk '{ printf "%s\t%d\n", $2, $1 }' | sort
