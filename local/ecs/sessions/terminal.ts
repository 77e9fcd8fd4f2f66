import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { SessionError } from '../../container-sessions.ts';
import type { RunnableCommand } from '../driver/process-command.ts';

/**
 * Runs a command in a terminal of its own, which needs a call that Node does not have. Python has it, on Linux and macOS.
 *
 *     python3 -I -c TERMINAL <columns>x<rows> <command> [argument…]       fd 4: a new size, one a line
 *
 * - What is typed comes from stdin, and what is shown goes to stdout. The end of stdin is Ctrl-D; with /dev/null nothing is ever typed.
 * - SIGTERM is passed on.
 * - It ends as the command does, whatever else holds the terminal.
 * - fd 3 is the command's own.
 * - When it is gone, the system hangs the terminal up, and its programs get SIGHUP.
 */
export const TERMINAL = `
import fcntl, os, select, signal, stat, struct, sys, termios

def resize(terminal, size):
    columns, rows = (int(each) for each in size.split('x'))
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))

size, command = sys.argv[1], sys.argv[2:]
terminal, end = os.openpty()
resize(end, size)
child = os.fork()
if child == 0:
    try:
        os.setsid()
        fcntl.ioctl(end, termios.TIOCSCTTY, 0)
        for each in (0, 1, 2):
            os.dup2(end, each)
        os.close(4)
        os.execv(command[0], command)
    except OSError as error:
        print(error.strerror, file=sys.stderr)
    os._exit(126)

signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGTERM))
os.close(end)
os.set_blocking(terminal, False)
sources = [4] if stat.S_ISCHR(os.fstat(0).st_mode) else [0, 4]
typed, sizes, status = b'', b'', None

def show():
    try:
        shown = os.read(terminal, 65536)
    except BlockingIOError:
        return None
    except OSError:
        return False
    if not shown:
        return False
    while shown:
        shown = shown[os.write(1, shown):]
    return True

while True:
    wanted = [each for each in sources if each != 0 or not typed] + [terminal]
    ready, free, _ = select.select(wanted, [terminal] if typed else [], [], 0.2)
    if terminal in ready and show() is False:
        break
    if 4 in ready:
        sizes += os.read(4, 4096)
        *lines, sizes = sizes.split(b'\\n')
        if lines:
            resize(terminal, lines[-1].decode())
        elif not sizes:
            sources.remove(4)
    if 0 in ready:
        typed = os.read(0, 65536)
        if not typed:
            sources.remove(0)
            typed = b'\\x04'
    if free:
        try:
            typed = typed[os.write(terminal, typed):]
        except BlockingIOError:
            pass
        except OSError:
            typed = b''
    ended, status_now = os.waitpid(child, os.WNOHANG)
    if ended:
        status = status_now
        while show():
            pass
        break

if status is None:
    _, status = os.waitpid(child, 0)
os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
`;

/** What a terminal has until its client says another size. */
const USUAL_SIZE = '80x24';

/**
 * The command in a terminal of its own; fd 4 takes its sizes. Throws a SessionError if there can be none.
 *
 * @param path where python3 is looked for
 */
export function inTerminal(command: RunnableCommand, path: string): RunnableCommand {
  return {
    ...command,
    argv: [pythonForTerminals(path), '-I', '-c', TERMINAL, USUAL_SIZE, ...command.argv],
    env: { TERM: 'xterm', ...command.env },
  };
}

/** The interpreter, by its path. */
function pythonForTerminals(path: string): string {
  const found = path
    .split(delimiter)
    .map((folder) => join(folder, 'python3'))
    .find(canRun);
  if (found === undefined)
    throw new SessionError(
      'a terminal for a process needs python3 on the PATH of muster local: install it, or leave -t out',
    );
  return found;
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
