/**
 * The little program under which every container runs, in a session of its own: it outlives whoever started it and leaves
 * behind how the container ended. POSIX sh, no child but the command itself.
 *
 *     sh -c SHIM muster-task <task folder> <container> <umask> <command> [argument…]      stdout: the log file
 *
 * - The claim: `started.<container>` is created exclusively (noclobber), so of several shims for one container one goes on,
 *   whoever died in between. It holds the pid.
 * - It has no variables of its own: one that the task's environment has, too, would be exported with our value.
 *   What shells add to the environment is taken out again.
 * - SIGTERM is sent to the whole group. The command gets it, the shim waits on. It runs the command in the foreground, where
 *   POSIX lets a trap wait for the end of the command.
 * - Its own messages ("Killed") would be lines in the log: stderr goes away, the command's goes to the log.
 * - `exit.<container>` is one short line in one write; a reader believes it only when it is whole. Its time is the end's time.
 *   Whoever starts the shim has made the file, with something in it ({@link NO_EXIT}) that is written over: a disk that has
 *   become full meanwhile takes that.
 * - Its files are for their owner only; the command has the umask that it would have had.
 * - At last it kills its group, itself included: nothing that the command left in the background stays, as in a container.
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
run() { shift 3; "$@" 2>&1; }
trap : TERM HUP INT QUIT
run "$@"
echo "$? end" 1<> "$1/exit.$2"
kill -KILL 0
`;

/** A name that `ps` shows. */
export const SHIM_NAME = 'muster-task';

/** Stands in a file of exits before there is one; longer than any. */
export const NO_EXIT = 'not over yet\n';

/** Matches a whole exit line, and what it did not write over; its group is the exit code. */
export const EXIT_LINE = /^(\d{1,3}) end\n/;

/**
 * Names that a shell cannot carry from its environment to its child as they are: no identifiers, or names that mean
 * something to the shell itself. See launcher.ts.
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
