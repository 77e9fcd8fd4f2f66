/**
 * The small program that runs every container, in its own session: it outlives the process that started it and records how
 * the container ended. POSIX sh, with the command as its only child.
 *
 *     sh -c SHIM muster-task <task folder> <container> <umask> <command> [argument…]      stdout: the log file
 *
 * - The claim: `started.<container>` is created exclusively (noclobber), so of several shims for one container only one
 * continues, whichever process died in between. It holds the pid.
 * - It has no variables of its own: if the task's environment has the same name, the shim's value would be exported.
 * Variables that shells add to the environment are removed again.
 * - SIGTERM goes to the whole group. The command receives it, and the shim keeps waiting. It runs the command in the
 * foreground, where POSIX lets a trap wait for the end of the command.
 * - Its own messages ("Killed") would be lines in the log, so its stderr is closed and the command's stderr goes to the
 * log. A subshell does that and becomes the command, because the shim has no other stderr while it waits. (An old bash
 * leaves SHLVL=0 there.)
 * - `exit.<container>` is one short line in one write; a reader accepts only a whole line. Its modification time is the
 * time of the end. The process that starts the shim creates the file with content ({@link NO_EXIT}) that the shim
 * overwrites: this works even if the disk has become full.
 * - Its files are private to their owner; the command keeps its usual umask.
 * - Finally it kills its group, itself included: no background process of the command survives, as in a container.
 */
export const SHIM = `
trap 'exit 143' TERM
exec 2>/dev/null
umask 077
set -C
echo "$$" > "$1/started.$2" || exit 125
set +C
umask "$3"
unset PWD OLDPWD SHLVL
run() { shift 3; (exec "$@" 2>&1); }
trap : TERM HUP INT QUIT
run "$@"
echo "$? end" 1<> "$1/exit.$2"
kill -KILL 0
`;

/** A name for `ps`. */
export const SHIM_NAME = 'muster-task';

/** Content of an exit file before the end; longer than any exit line. */
export const NO_EXIT = 'not over yet\n';

/** Matches a whole exit line and the remains of what it overwrote; its group is the exit code. */
export const EXIT_LINE = /^(\d{1,3}) end\n/;

/**
 * Names that a shell cannot pass from its environment to its child unchanged: not identifiers, or names with a meaning for
 * the shell itself. See launcher.ts.
 */
export function needsLauncher(name: string): boolean {
  return !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || SHELLS_OWN.has(name) || name.startsWith('BASH');
}

const SHELLS_OWN = new Set([
  'PWD',
  'OLDPWD',
  'SHLVL',
  '_',
  'IFS',
  'PPID',
  'LINENO',
  'OPTIND',
  'OPTARG',
  'PS1',
  'PS2',
  'PS4',
  'ENV',
  'SHELLOPTS',
  'POSIXLY_CORRECT',
  'UID',
  'EUID',
  'RANDOM',
  'SECONDS',
]);
