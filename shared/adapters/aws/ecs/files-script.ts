/**
 * Where it runs on Fargate. Musl's busybox is one program of 1 MB without libraries, for both architectures; AWS's public registry
 * asks for no account and has no limit for callers in AWS, which Docker Hub has.
 */
export const FILES_IMAGE = 'public.ecr.aws/docker/library/busybox:stable-musl';

/** Where volumes are mounted to be written. */
export const FILES_ROOT = '/muster';

/**
 * Makes what a task's volumes are before its programs start: POSIX sh, and `mkdir`, `chmod`, `chgrp`, `rm`, `cat`, `base64`, and
 * `gzip`.
 *
 *     MUSTER_FOLDERS=PLAN MUSTER_FILES=PLAN MUSTER_FILE_0=… sh -c "$(filesScript(…))" muster-files <root>
 */
export const filesScript = ({ hasFolders, hasFiles }: { readonly hasFolders: boolean; readonly hasFiles: boolean }) =>
  [FAIL, ...(hasFolders ? [FOLDERS] : []), ...(hasFiles ? [FILES] : [])].join('\n');

/** Failures name the path, never the content. */
const FAIL = String.raw`fail() { printf 'muster-files: cannot write %s: %s\n' "$path" "$1" >&2; exit 1; }`;

/**
 * Gives folders to their groups. The plan's lines are {@link PlannedFolder}s: `<group> <mode> <volume>`. Whatever is made in such a
 * folder belongs to its group from then on, files of volumes among it: that is what the bit setgid of its mode does.
 */
const FOLDERS = `
printf '%s\\n' "$MUSTER_FOLDERS" | while IFS=' ' read -r group mode path; do
  mkdir -p "$1/$path" && chgrp "$group" "$1/$path" && chmod "$mode" "$1/$path" || fail 'its group cannot be set'
done || exit 1
`.trim();

/**
 * Writes files.
 *
 * - The plan's lines are {@link PlannedFile}s: `<nth> <form> <mode> <volume>/<path>`. All that follows the third space is the path,
 * whatever it holds, so nothing is split into words.
 * - A variable's value goes from the shell's own `printf` into a file or a pipe: it is in no argument, which others could see, and in
 * no here-document, which some shells put into a file in /tmp.
 * - The loop is a subshell that ends with the script's code. What it calls reads nothing of the plan: pipes stand before them.
 * - Of a pipe the last program's end counts. gzip ends badly if what comes before it breaks off, by its checksum. base64 is asked once
 * whether it can read the content; then `cat` writes it, for busybox's base64 ends well on a full disk.
 * - A link that is there already is not followed: it is removed.
 */
const FILES = `
printf '%s\\n' "$MUSTER_FILES" | while IFS= read -r line; do
  nth=\${line%% *}; line=\${line#* }
  form=\${line%% *}; line=\${line#* }
  mode=\${line%% *}; path=\${line#* }
  file=$1/$path
  eval "[ \\"\\\${MUSTER_FILE_$nth+x}\\" ]" || fail 'its content is not set'
  eval "content=\\$MUSTER_FILE_$nth"
  umask 022
  mkdir -p "\${file%/*}" || fail 'its folder cannot be made'
  [ ! -d "$file" ] || fail 'it is a folder'
  rm -f "$file" || fail 'what is there cannot be removed'
  umask 077
  case $form in
    text) printf %s "$content" > "$file" ;;
    base64) printf %s "$content" | base64 -d > /dev/null && printf %s "$content" | base64 -d | cat > "$file" ;;
    gzip) printf %s "$content" | base64 -d | gzip -dc > "$file" ;;
    *) false ;;
  esac || fail 'its content cannot be written'
  chmod "$mode" "$file" || fail 'its mode cannot be set'
done
`.trim();
