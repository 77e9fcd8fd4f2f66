# What a task runs: a letter -> summaries/$MUSTER_RESULT_NAME. A name is always in double quotes, so it stays one word.
set -eu
file=$1
words=$(wc -w < "$file")
mkdir -p summaries
printf '%s: %d words\n' "$file" "$words" > "summaries/.$MUSTER_RESULT_NAME"
mv "summaries/.$MUSTER_RESULT_NAME" "summaries/$MUSTER_RESULT_NAME" # so a summary is complete or absent
cat "summaries/$MUSTER_RESULT_NAME"
