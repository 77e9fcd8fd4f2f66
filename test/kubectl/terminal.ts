import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { PATIENCE_MS, eventually } from '../e2e/kube-calls.ts';
import type { Kubectl } from './kubectls.ts';
import { limitOf } from './limits-1.20.ts';
import { tidy } from './tidy.ts';

/** Each time starts a program. */
const AGAIN_MS = 300;

type Env = Readonly<Record<string, string>>;
type Ended = { readonly code: number | null; readonly out: string; readonly err: string };

/** A command that goes on: `get -w`, `logs -f`, `wait`. */
export type Running = {
  /** Resolves with all that it has printed, tidied, once that holds `text`. */
  readonly until: (text: string) => Promise<string>;
  /** Interrupts it, as Ctrl-C does, and returns what it printed on stdout, tidied. */
  readonly interrupt: () => Promise<string>;
  /** What it leaves on the screen once it has ended: see {@link Terminal.run}. */
  readonly ended: Promise<string>;
};

/**
 * One person's shell: a kubectl with a home (its caches), a folder and a namespace of its own. `shows` compares what is
 * printed with what it should be and goes on; `differences` tells at the end what was otherwise.
 */
export class Terminal {
  readonly kubectl: Kubectl;
  readonly namespace: string;
  /** Where commands run; files are named relative to it. */
  readonly folder: string;
  readonly differences: string[] = [];
  readonly #env: Env;
  readonly #given: readonly string[];

  constructor(given: { kubectl: Kubectl; namespace: string; home: string; kubeconfig: string }) {
    this.kubectl = given.kubectl;
    this.namespace = given.namespace;
    this.folder = join(given.home, given.namespace);
    mkdirSync(this.folder, { recursive: true });
    this.#given = ['--kubeconfig', given.kubeconfig, '--namespace', given.namespace];
    this.#env = { HOME: given.home, PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', TERM: 'dumb' };
  }

  /** Starts `kubectl LINE`; single quotes keep words together. */
  start(line: string, env: Env = {}): Running {
    const options = { cwd: this.folder, env: { ...this.#env, ...env } };
    // Arguments after `--` are the container's.
    const [ours, theirs] = [wordsOf(line.split(' -- ')[0] ?? ''), wordsOf(line.split(' -- ')[1] ?? '')];
    const words = [...this.#given, ...ours, ...(theirs.length === 0 ? [] : ['--', ...theirs])];
    return following(spawn(this.kubectl.path, words, options), line);
  }

  /**
   * Runs `kubectl LINE` and returns the screen, tidied: first what came on stderr, each line after `! `, then stdout, then
   * `exit N` if it did not end well.
   */
  async run(line: string, env: Env = {}): Promise<string> {
    return this.start(line, env).ended;
  }

  /** Runs it and notes whether the screen is as it should be, or as kubectl 1.20's limits have it. */
  async shows(line: string, screen: string | RegExp, env: Env = {}): Promise<void> {
    const limit = this.kubectl.minor <= 20 ? limitOf(line) : null;
    this.same(line, await this.run(line, env), limit ?? screen);
  }

  /** Notes if what was seen is not what it should be. */
  same(what: string, seen: string, wanted: string | RegExp): void {
    const holds = typeof wanted === 'string' ? seen === wanted : wanted.test(seen);
    if (!holds) this.differences.push(`$ kubectl ${what}\n${seen}\n--- instead of\n${String(wanted)}`);
  }

  async json(line: string): Promise<unknown> {
    return JSON.parse(await this.text(`${line} -o json`));
  }

  /** What it prints on stdout, as it is; rejects if it does not end well. */
  async text(line: string): Promise<string> {
    const running = spawn(this.kubectl.path, [...this.#given, ...wordsOf(line)], { cwd: this.folder, env: this.#env });
    const { code, out, err } = await collect(running);
    if (code !== 0) throw new Error(`kubectl ${line}: ${err}`);
    return out;
  }

  /** Runs it again and again until the screen holds `text`, and returns the screen. */
  async until(line: string, text: string | RegExp): Promise<string> {
    let seen = '';
    return eventually(
      async () => {
        seen = await this.run(line);
        return (typeof text === 'string' ? seen.includes(text) : text.test(seen)) ? seen : null;
      },
      () => `kubectl ${line} prints ${seen}`,
      AGAIN_MS,
    );
  }

  /** Writes manifests, or text, into a file of the folder. */
  write(name: string, ...documents: readonly (object | string)[]): void {
    const text = documents.map((each) => (typeof each === 'string' ? each : stringify(each))).join('---\n');
    mkdirSync(dirname(join(this.folder, name)), { recursive: true });
    writeFileSync(join(this.folder, name), text, { mode: name.endsWith('.sh') ? 0o700 : 0o600 });
  }
}

const wordsOf = (line: string): readonly string[] =>
  (line.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", ''));

async function collect(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  const printed = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed.err += text));
  child.stdin.end();
  const overdue = setTimeout(() => child.kill('SIGKILL'), 4 * PATIENCE_MS); // longer than any --timeout of a test
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(overdue);
      resolve({ code, ...printed });
    });
  });
}

function following(child: ChildProcessWithoutNullStreams, line: string): Running {
  let seen = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (seen += text.toString()));
  const done = collect(child);
  return {
    ended: done.then(screenOf),
    until: async (text) =>
      eventually(
        () => (tidy(seen).includes(text) ? tidy(seen) : null),
        () => `kubectl ${line} has printed only: ${seen}`,
      ),
    interrupt: async () => {
      child.kill('SIGINT');
      return tidy((await done).out);
    },
  };
}

function screenOf({ code, out, err }: Ended): string {
  const complaints = tidy(err).replaceAll(/^/gm, '! ');
  return [
    ...(err === '' ? [] : [complaints]),
    ...(out === '' ? [] : [tidy(out)]),
    ...(code === 0 ? [] : [`exit ${code}`]),
  ].join('\n');
}
