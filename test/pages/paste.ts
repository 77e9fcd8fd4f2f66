import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** What became of a text that was pasted. */
export type Pasted = { readonly printed: string; readonly failed: readonly string[] };

/** A shell of one page, to which text is pasted as from a clipboard. */
export class PastedShell {
  readonly #shell: ChildProcess;
  readonly #ended: Promise<unknown>;
  #said = '';
  #pastes = 0;

  constructor(cwd: string, env: Readonly<Record<string, string>>) {
    // Its own process group: what a page leaves behind is ended with it.
    this.#shell = spawn('bash', ['--noprofile', '--norc'], { cwd, env, stdio: 'pipe', detached: true });
    this.#ended = once(this.#shell, 'close');
    const hear = (part: string): void => void (this.#said += part);
    this.#shell.stdout?.setEncoding('utf8').on('data', hear);
    this.#shell.stdin?.on('error', () => undefined);
    this.#shell.stdin?.write(`exec 2>&1\ntrap 'echo "${FAILED}$?: $BASH_COMMAND"' ERR\n`);
  }

  /** Everything that it has printed. */
  get said(): string {
    return this.#said;
  }

  /** Pastes a text, and waits until the shell has done all of it. Throws after `patienceMs` with what was printed till then. */
  async paste(text: string, patienceMs: number): Promise<Pasted> {
    const end = `<<end of paste ${++this.#pastes}>>`;
    const from = this.#said.length;
    this.#shell.stdin?.write(`${text}\necho '${end}'\n`);
    await this.#until(() => this.#said.includes(end, from), patienceMs, text);
    const lines = this.#said.slice(from, this.#said.indexOf(end, from)).split('\n');
    return {
      printed: lines.filter((line) => !line.startsWith(FAILED)).join('\n'),
      failed: lines.flatMap((line) => (line.startsWith(FAILED) ? [line.slice(FAILED.length)] : [])),
    };
  }

  /** Pastes what goes on until Ctrl-C, and waits until it says that it is ready. */
  async start(text: string, ready: string, patienceMs: number): Promise<void> {
    this.#shell.stdin?.write(`${text}\n`);
    await this.#until(() => this.#said.includes(ready), patienceMs, text);
  }

  /** Presses Ctrl-C, then ends the shell, and by force what does not end. */
  async close(patienceMs: number): Promise<void> {
    const { pid } = this.#shell;
    this.#shell.stdin?.end();
    if (pid === undefined) return;
    signal(pid, 'SIGINT');
    const force = setTimeout(() => signal(pid, 'SIGKILL'), patienceMs);
    await this.#ended;
    clearTimeout(force);
  }

  async #until(isSo: () => boolean, patienceMs: number, text: string): Promise<void> {
    const giveUpMs = Date.now() + patienceMs;
    while (!isSo()) {
      if (this.#shell.exitCode !== null) throw new Error(`the shell has ended at\n${text}\nand printed\n${this.#said}`);
      if (Date.now() > giveUpMs)
        throw new Error(`not done after ${patienceMs} ms:\n${text}\nIt printed\n${this.#said}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

const FAILED = '<<failed with ';

function signal(group: number, name: 'SIGINT' | 'SIGKILL'): void {
  try {
    process.kill(-group, name);
  } catch {
    // It has ended.
  }
}
