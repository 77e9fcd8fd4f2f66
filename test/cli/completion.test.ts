import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { manifest } from '../kube/a-world.ts';
import { CONFIGS, aConfig } from '../../shared/capabilities/furiko/test/kube/a-furiko-world.ts';
import { type ServerWish, aServer } from './a-server.ts';

/** Two Jobs, two CronJobs, and two JobConfigs in the default namespace, a Job in another. */
async function withJobs(wish: ServerWish = {}) {
  const server = await aServer(wish);
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  const headers = { 'content-type': 'application/json' };
  expect((await fetch(`${server.url}/api/v1/namespaces`, { method: 'POST', headers, body })).status).toBe(201);
  for (const [name, namespace] of [
    ['frames', 'default'],
    ['sums', 'default'],
    ['nightly', 'team'],
  ] as const) {
    server.file('job.json', manifest(name, { suspend: true }, { metadata: { name, namespace } }));
    expect(await server.run(`run -f job.json -n ${namespace}`)).toMatchObject({ code: 0 });
  }
  for (const name of ['report', 'nightly']) await server.run(`run ${name} --image i --schedule @daily -- true`);
  for (const name of ['lint', 'nightly']) {
    const config = JSON.stringify(aConfig(name));
    expect((await fetch(server.url + CONFIGS, { method: 'POST', headers, body: config })).status).toBe(201);
  }
  return server;
}

/** Names come, however slow the machine is. */
const PATIENT = { MUSTER_COMPLETE_TIMEOUT_MS: '60000' };

/** What `complete` prints for a line whose last word, which may be empty, is being typed. */
async function completed(server: Awaited<ReturnType<typeof aServer>>, line: string, env: object = PATIENT) {
  const { code, out, err } = await server.run(`complete -- ${line}`, { env: { ...env } });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const [kind, ...lines] = out.trimEnd().split('\n');
  return { kind, words: lines.map((each) => each.split('\t')[0]) };
}

describe('what may stand there', () => {
  test.each<[string, readonly string[]]>([
    ['ru', ['run']],
    ['comp', ['completion']], // what scripts call stays hidden
    ['help ve', ['version']],
    ['run --fi', ['--file']],
    ['run --kube', ['--kubeconfig']],
    ['run zip --per', ['--per-completion-env']],
    ['run zip --format ', ['lines', 'words', 'csv', 'tsv', 'jsonl']],
    ['run zip --failed-of ', ['frames', 'sums']],
    ['run zip --image i -- ', []],
    ['get --output ', ['wide', 'json', 'yaml', 'name']],
    ['get --output=j', ['--output=json']],
    ['get --output = j', ['--output=json']], // as bash takes it apart
    ['version -o y', ['yaml']],
    ['wait sums --for f', ['failed', 'finished']],
    ['pru', ['prune']],
    ['cron ', ['list', 'next', 'run-now', 'backfill', 'pause', 'resume', 'help']],
    ['cron ru', ['run-now']],
    ['cron nope x', []],
    ['cron next --sl', ['--slots']],
    ['cron next --kube', ['--kubeconfig']],
    ['cron next -o ', ['json', 'yaml']],
    ['cron run-now ', ['nightly', 'report']],
    ['cron pause report ', ['nightly']],
    ['cron pause cj/r', ['cj/report']],
    ['run ', ['lint', 'nightly']],
    ['run jobconfig/l', ['jobconfig/lint']],
    ['run --image i -- ', []],
    ['run -n ', []],
    ['enable ', ['lint', 'nightly']],
    ['disable lint ', ['nightly']],
    ['prune --o', ['--older-than', '--output']],
    ['prune -o ', ['json', 'yaml']],
    ['local --driver ', ['process', 'docker', 'simulated']],
    ['completion ', ['bash', 'zsh', 'fish']],
    ['get ', ['jobs', 'pods', 'waits', 'frames', 'sums']],
    ['get pods ', ['frames', 'sums']],
    ['logs fr', ['frames']],
    ['logs job.batch/s', ['job.batch/sums']],
    ['--kubeconfig .muster/kubeconfig logs s', ['sums']],
    ['delete sums ', ['frames']],
    ['logs -n team ', ['nightly']],
    ['logs --namespace=team ', ['nightly']],
    ['logs frames --index ', []],
    ['logs frames ', []],
    ['logs -- --', []],
    ['logs -- fr', ['frames']],
    ['--nope x ', []],
  ])('%s', async (line, words) => {
    expect(await completed(await withJobs(), line)).toEqual({ kind: 'words', words });
  });

  test.each([
    ['run -f ', 'files'],
    ['run --file=jo', 'files'],
    ['kubeconfig -o ', 'files'],
    ['local --data ', 'folders'],
  ])('%s: %s', async (line, kind) => {
    const server = await aServer();
    expect(await completed(server, line)).toEqual({ kind, words: [] });
    expect(server.requests).toEqual([]);
  });

  test.each<[string, ServerWish['intercept']]>([
    ['does not answer in time', (request) => request.url === '/version'],
    [
      'is none',
      (_, response) => {
        response.writeHead(500).end('no');
        return true;
      },
    ],
  ])('a server that %s costs only the names', async (_, intercept) => {
    const server = await aServer(intercept === undefined ? {} : { intercept });
    const words = ['jobs', 'pods', 'waits'];
    for (const limit of ['50', 'soon', '-1'])
      expect(await completed(server, 'get ', { MUSTER_COMPLETE_TIMEOUT_MS: limit })).toEqual({ kind: 'words', words });
  });

  test('a slow server has the time that MUSTER_COMPLETE_TIMEOUT_MS gives it', async () => {
    let isSlow = false;
    const server = await withJobs({
      intercept: ({ url }, response) => {
        if (url !== '/version' || !isSlow) return false;
        setTimeout(() => response.setHeader('content-type', 'application/json').end(version), 1_000);
        return true;
      },
    });
    const version = await (await fetch(`${server.url}/version`)).text();
    isSlow = true;
    expect((await completed(server, 'logs ', {})).words).toEqual([]);
    expect((await completed(server, 'logs ')).words).toEqual(['frames', 'sums']);
  });

  test('without a server', async () => {
    const server = await aServer();
    await server.close();
    expect(await completed(server, 'logs ')).toEqual({ kind: 'words', words: [] });
  });
});

/** Prints a shell's candidates for `muster` and these words, a line each; the last is being typed. */
const ASK: Readonly<Record<'bash' | 'zsh' | 'fish', (words: readonly string[]) => string>> = {
  // The function that `complete` has registered, called as readline would.
  bash: (words) => `
    source <(muster completion bash)
    [[ $(complete -p muster) == 'complete -F _muster muster' ]] || exit 9
    COMP_WORDS=(muster ${words.map(quoted).join(' ')}) COMP_CWORD=${words.length}
    _muster 2>/dev/null
    printf '%s\\n' "\${COMPREPLY[@]}"`,
  // zsh completes in its line editor only: what the function hands to it is printed instead.
  zsh: (words) => `
    compdef() { [[ "$*" == '_muster muster' ]] || exit 9 }
    source <(muster completion zsh)
    _describe() { print -l -- "\${(@)\${(P)2}%%:*}" }
    _files() { print -l -- \${PREFIX}*(N) }
    words=(muster ${words.map(quoted).join(' ')}) CURRENT=${words.length + 1} PREFIX=${quoted(words.at(-1) ?? '')}
    _muster`,
  fish: (words) => `
    muster completion fish | source
    complete -C ${quoted(['muster', ...words].join(' '))} | string replace -r '\\t.*' ''
    true`,
};

const quoted = (word: string): string => `'${word}'`;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Shells that are not installed are passed over; bash always is. */
const isInstalled = (shell: string): boolean =>
  shell === 'bash' || spawnSync(shell, ['-c', 'exit 0'], { stdio: 'ignore' }).status === 0;

describe.each(['bash', 'zsh', 'fish'] as const)('%s', (shell) => {
  test.skipIf(!isInstalled(shell))('sources the script, and completes with it', async () => {
    const server = await withJobs();
    const bin = join(server.dir, 'bin');
    mkdirSync(bin);
    const program = [process.execPath, join(ROOT, 'dist/muster.mjs')];
    writeFileSync(join(bin, 'muster'), `#!/bin/sh\nexec ${program.map(quoted).join(' ')} "$@"\n`, { mode: 0o755 });
    const env = {
      ...process.env,
      ...PATIENT,
      PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
      HOME: server.dir,
    };
    const ask = async (...words: string[]) => {
      const args = [...(shell === 'zsh' ? ['-f'] : []), '-c', ASK[shell](words)];
      const { stdout } = await promisify(execFile)(shell, args, { cwd: server.dir, env });
      return stdout.split('\n').filter((line) => line !== '');
    };
    expect(await ask('ru')).toEqual(['run']);
    expect(await ask('run', '--fi')).toEqual(['--file']);
    expect(await ask('run', '--file', 'jo')).toEqual(['job.json']);
    expect(await ask('logs', 's')).toEqual(['sums']);
  });
});
