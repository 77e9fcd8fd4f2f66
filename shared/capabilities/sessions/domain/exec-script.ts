import type { Streams } from './session-plan.ts';

// ECS Exec gives every command a terminal, and says neither how it ended nor which of its output was an error; and the agent passes
// nothing on that is not UTF-8. So a shell of the container runs the command, and tells it.

/** With a terminal: what the command prints, and at its end a mark with its exit code, which `$1` makes one of a kind. */
const IN_TERMINAL = `n=$1;shift;trap : INT QUIT;"$@";printf '\\036%s%d\\037' "$n" $?`;

/**
 * Without: output in base64, as it comes; errors as well, between 2 and 3; the exit code between 4 and 5, when all is out. Input comes
 * in lines of base64, which `.` ends. 6: it begins; 7 and a name: this program is missing.
 *
 * Each line of errors is one write of less than a kilobyte, so it is never mixed with other output, though it may lie in its midst.
 */
const WITHOUT_TERMINAL = `p=$1;shift
for x in base64 dd stty;do command -v $x >/dev/null 2>&1||[ $p$x = nstty ]||{ printf '\\007%s\\003' $x;exit;};done
s(){ while x=$(dd bs=$1 count=1 2>/dev/null|base64)&&[ "$x" ];do printf "$2%s$3" "$x";done;}
i(){ while IFS= read -r l;do [ "$l" = . ]&&break;printf %s "$l"|base64 -d;done;}
r(){ c=$({ { { "$@" 3>&- 4>&- 5>&-;echo $? >&5;} 2>&4|s 24576 '' '' >&3;} 4>&1|s 600 '\\002' '\\003' >&3;} 5>&1);printf '\\004%d\\005' "$c" >&3;}
exec 3>&1
if [ $p = i ];then stty raw -echo;printf '\\006';i|r "$@";else printf '\\006';r "$@" </dev/null;fi`;

/** The words that are run in the container. `mark`: of letters and digits that nobody guesses. */
export const scriptedCommand = (
  command: readonly string[],
  { tty, stdin }: Pick<Streams, 'tty' | 'stdin'>,
  mark: string,
): readonly string[] =>
  tty
    ? ['sh', '-c', IN_TERMINAL, 'sh', mark, ...command]
    : ['sh', '-c', WITHOUT_TERMINAL, 'sh', stdin ? 'i' : 'n', ...command];

/**
 * Words as the one text that ECS takes, which the agent takes apart as a shell does, without a shell. Session Manager's documents know
 * `{{…}}` as a parameter, so two braces never stand side by side.
 */
export const asOneText = (words: readonly string[]): string => words.map(quoted).join(' ');

const quoted = (word: string): string =>
  `'${word
    .replaceAll("'", String.raw`'\''`)
    .replaceAll(/\{(?=\{)/g, "{''")
    .replaceAll(/\}(?=\})/g, "}''")}'`;
