import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ResultFolder } from '../../../cli/results/result-folder.ts';
import { resultFolderName } from '../../../cli/results/result-name.ts';
import { runCommandLine } from '../../../cli/program/program.ts';
import type { AServer } from '../a-server.ts';
import { heldRequests } from './held-requests.ts';
import { aMixedServer, attempt, exited } from './a-mixed-job.ts';

/** Each file below a folder, with its text. */
function filesIn(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    names.flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isFile() ? [[name, readFileSync(path, 'utf8')]] : [];
    }),
  );
}

/** How many logs the server was asked for. */
const logsAsked = ({ requests }: AServer): number => requests.filter((line) => line.includes('/log')).length;

const text = (which: string): string => `begin ${which}\nend of ${which} after ${which[0]}.5 s\n`;

describe('muster logs --results', () => {
  test('a folder an index, and the joblog', async () => {
    const server = await aMixedServer();
    const { code, out, err } = await server.run('logs sums --results out');
    expect([code, err]).toEqual([0, '']);
    expect(out).toBe('out: 4 fetched, 0 unchanged\n1 index has no attempt that has ended\n');
    const { 'joblog.tsv': joblog, 'job.json': job, ...files } = filesIn(join(server.dir, 'out'));
    expect(files).toEqual({
      '000000/attempt': '2\n',
      '000000/exit': '0\n',
      '000000/stdout': text('0/2'),
      '000001/attempt': '2\n',
      '000001/exit': '2\n',
      '000001/stdout': text('1/2'),
      '000002/attempt': '1\n',
      '000002/exit': '3\n',
      '000002/stdout': text('2/1'),
      '000004/attempt': '1\n',
      '000004/exit': '0\n',
      '000004/stdout': text('4/1'),
    });
    expect(joblog).toBe((await server.run('joblog sums')).out);
    expect(JSON.parse(job ?? '')).toEqual({ namespace: 'default', name: 'sums', uid: expect.any(String) as unknown });
  });

  test('run again, it fetches what has changed or is missing', async () => {
    const server = await aMixedServer();
    await server.run('logs sums --results out');
    rmSync(join(server.dir, 'out/000004'), { recursive: true });
    rmSync(join(server.dir, 'out/000000/attempt')); // as if it had been cut off
    await server.world.record('sums', 2, 2, exited(0));
    await server.world.commit('sums', [{ op: 'succeeded', index: 2, attempt: 2 }]);
    server.world.print(2, 2, 'main', 'at last');
    const before = logsAsked(server);
    const { out } = await server.run('logs sums --results out');
    expect(out).toContain(': 3 fetched, 1 unchanged\n');
    expect(logsAsked(server) - before).toBe(3);
    const files = filesIn(join(server.dir, 'out'));
    expect(files).toMatchObject({ '000002/stdout': 'at last\n', '000002/exit': '0\n', '000002/attempt': '2\n' });
    expect(files['000004/stdout']).toBe(text('4/1'));
  });

  test('--resume-failed fetches what failed or is missing, and nothing else', async () => {
    const server = await aMixedServer();
    await server.run('logs sums --results out');
    rmSync(join(server.dir, 'out/000004/stdout'));
    await server.world.record('sums', 0, 2, exited(0)); // unchanged
    const before = logsAsked(server);
    const { out } = await server.run('logs sums --results out --resume-failed');
    expect(out).toContain(': 3 fetched, 1 unchanged\n');
    expect(logsAsked(server) - before).toBe(3);
  });

  test("a rerun's results join those of the Job that it repeats, and no others", async () => {
    const server = await aMixedServer();
    await server.run('logs sums --results out');
    const path = join(server.dir, 'out');
    const of = async (name: string, repeats: string | null) =>
      ResultFolder.of(path, { namespace: 'default', name, uid: `uid of ${name}`, repeats });
    await expect(of('other', null)).rejects.toThrow('has the results of another Job, default/sums');
    await expect(of('other', 'another')).rejects.toThrow('has the results of another Job, default/sums');
    const joining = await of('again', 'sums');
    expect(joining.isJoining).toBe(true);
    async function* log() {
      yield Buffer.from('at last\n');
    }
    async function* rows() {
      yield 'a row\n';
    }
    await joining.store('000001', { exit: 0, attempt: 1, log: log() });
    await joining.storeJoblog(rows());
    expect((await of('again', 'sums')).isJoining).toBe(true); // interrupted so far
    await joining.own();
    expect((await of('again', 'sums')).isJoining).toBe(false);
    expect(filesIn(path)).toMatchObject({
      '000001/stdout': 'at last\n',
      '000000/stdout': text('0/2'),
      'joblog-again.tsv': 'a row\n',
      'joblog.tsv': (await server.run('joblog sums')).out,
    });
    expect((await server.run('logs sums --results out')).err).toContain('of another Job, default/again');
  });

  test('some indexes', async () => {
    const server = await aMixedServer();
    const { out } = await server.run('logs sums --index 1,3-4 --results out');
    expect(out).toContain(': 2 fetched, 0 unchanged\n1 index has no attempt that has ended\n');
    expect(readdirSync(join(server.dir, 'out')).sort()).toEqual(['000001', '000004', 'job.json', 'joblog.tsv']);
  });

  test('what never started has an empty output, and the exit code -1 if nothing has exited', async () => {
    const server = await aMixedServer();
    await server.world.commit('sums', [{ op: 'claim', index: 3 }]);
    const ending = {
      cause: 'StartFailed',
      exitCode: null,
      container: null,
      reason: 'CannotPullContainerError',
    } as const;
    await server.world.record('sums', 3, 1, ending, { startedAt: null });
    await server.world.commit('sums', [{ op: 'failedForGood', index: 3 }]);
    expect((await server.run('logs sums --results out --index 3')).code).toBe(0);
    expect(filesIn(join(server.dir, 'out/000003'))).toEqual({ attempt: '1\n', exit: '-1\n', stdout: '' });
  });

  test('items name the folders, whatever they are, and stay in the folder', async () => {
    const list = ['FILE', 'banana.txt', '../../etc/passwd', '..', 'a/b\\c', 'ünïcode…'].join('\n');
    const server = await aMixedServer({}, {}, { annotations: { 'muster.run/items': list } });
    expect((await server.run('logs sums --results out/x')).code).toBe(0);
    expect(readdirSync(join(server.dir, 'out/x')).sort()).toEqual([
      '000000-banana.txt',
      '000001-..-..-etc-passwd',
      '000002-..',
      '000004-ünïcode',
      'job.json',
      'joblog.tsv',
    ]);
    expect(readdirSync(join(server.dir, 'out'))).toEqual(['x']);
    const joblog = (await server.run('joblog sums --format json')).out;
    expect((JSON.parse(joblog) as { Item: string }[]).map(({ Item }) => Item)).toEqual([
      'banana.txt',
      '../../etc/passwd',
      '..',
      'ünïcode…',
    ]);
    expect((await server.run('failures sums')).out).toContain('  items: ../../etc/passwd\n');
  });

  test('a log that breaks off leaves nothing of it, and the same command continues', async () => {
    let isBroken = true;
    const server = await aMixedServer({
      intercept(request, response) {
        if (!isBroken || !/sums-4-[^/]*\/log/.test(request.url ?? '')) return false;
        response.writeHead(200, { 'content-type': 'text/plain' });
        response.write('half of', () => response.destroy());
        return true;
      },
    });
    const { code, err } = await server.run('logs sums --results out');
    expect(code).toBe(1);
    expect(err).toMatch(/cannot be reached/);
    expect(readdirSync(join(server.dir, 'out/000004'))).toEqual([]);
    expect(existsSync(join(server.dir, 'out/joblog.tsv'))).toBe(true);
    isBroken = false;
    expect((await server.run('logs sums --results out')).code).toBe(0);
    expect(filesIn(join(server.dir, 'out'))['000004/stdout']).toBe(text('4/1'));
  });

  test('Ctrl-C leaves a folder that the same command completes', async () => {
    let hung = true;
    const server = await aMixedServer({
      intercept(request, response) {
        if (hung && /sums-4-[^/]*\/log/.test(request.url ?? '')) {
          response.writeHead(200, { 'content-type': 'text/plain' });
          response.write('half of\n');
          return true;
        }
        return false;
      },
    });
    const shell = server.shell();
    const ended = runCommandLine('logs sums --results out'.split(' '), shell.shell);
    const there = (): string[] =>
      Object.keys(filesIn(join(server.dir, 'out'))).filter((name) => name.endsWith('/stdout'));
    await expect.poll(there).toHaveLength(3);
    shell.interrupt();
    expect(await ended).toBe(130);
    expect(shell.err()).toBe('interrupted: the same command continues\n');
    expect(shell.listeners()).toBe(0);
    expect(Object.keys(filesIn(join(server.dir, 'out'))).filter((name) => name.includes('000004'))).toEqual([]);
    hung = false;
    expect((await server.run('logs sums --results out')).out).toContain(': 1 fetched, 3 unchanged\n');
  });

  test('nothing is written through a link, and what is in the way is left as it is', async () => {
    const server = await aMixedServer();
    const elsewhere = join(server.dir, 'elsewhere');
    const out = join(server.dir, 'out');
    mkdirSync(elsewhere);
    mkdirSync(join(out, '000002'), { recursive: true });
    symlinkSync(elsewhere, join(out, '000000'));
    writeFileSync(join(out, '000001'), 'mine');
    for (const name of ['stdout', '.stdout.part', 'exit', 'attempt'])
      symlinkSync(join(elsewhere, name), join(out, '000002', name));
    symlinkSync(join(elsewhere, 'joblog.tsv'), join(out, 'joblog.tsv'));
    const { code, err } = await server.run('logs sums --results out');
    expect(code).toBe(1);
    expect(err.split('\n').sort()).toEqual([
      '',
      `${join(out, '000000')} is a symbolic link: it is left as it is`,
      `${join(out, '000001')} is not a folder: it is left as it is`,
    ]);
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(readFileSync(join(out, '000001'), 'utf8')).toBe('mine');
    expect(filesIn(join(out, '000002'))).toEqual({ attempt: '1\n', exit: '3\n', stdout: text('2/1') });
  });

  test('a folder with the results of another Job is refused whole', async () => {
    const server = await aMixedServer();
    await server.run('logs sums --results out');
    await server.run('delete sums');
    await server.run('run -f job.json');
    const before = filesIn(join(server.dir, 'out'));
    const { code, err } = await server.run('logs sums --results out');
    expect(code).toBe(1);
    expect(err).toMatch(
      /has the results of another Job, default\/sums \(uid .*\): choose another folder, or delete it/,
    );
    expect(filesIn(join(server.dir, 'out'))).toEqual(before);
  });

  test('eight are fetched at a time, and a terminal has a bar', async () => {
    const held = heldRequests();
    const server = await aMixedServer(
      {
        intercept(request, response) {
          if (!(request.url ?? '').includes('/log')) return false;
          held.hold(() => response.end('x\n'));
          return true;
        },
      },
      { completions: 40, parallelism: 40 },
    );
    for (let index = 10; index < 40; index++) await attempt(server, index, 1, exited(0), 'succeeded');
    let now = 0;
    const wish = { errTerminal: { columns: 80, rows: 24 }, now: () => (now += 200) };
    const ended = server.run('logs sums --results out', wish);
    await held.releaseAt(8);
    const { code, err } = await ended;
    expect(code).toBe(0);
    expect(err).toMatch(/━+.*\d+\/40 results \(\d+ fetched, 0 unchanged\)/);
    expect(err.endsWith('\u001B[?7h\u001B[?25h')).toBe(true);
  });

  test('without a terminal, it is a line now and then', async () => {
    const server = await aMixedServer();
    let now = 0;
    const { err } = await server.run('logs sums --results out', { now: () => (now += 6_000) });
    expect(err).toMatch(/^(\d\/5 results \(\d fetched, 0 unchanged\)\n){1,3}$/);
  });

  test.each([
    ['logs sums --resume-failed', /--resume-failed needs --results/],
    ['logs sums --results out -f', /--results and --follow cannot be combined/],
    ['logs sums --results out --tail 3', /--results and --tail cannot be combined/],
    ['logs sums --results out --failed', /--results and --failed cannot be combined/],
    ['logs sums --results out --attempt 1', /--results and --attempt cannot be combined/],
    ['logs sums --results out --index 7', /index 7: 0 to 4 exist/],
  ])('%s', async (line, message) => {
    const server = await aMixedServer();
    const { code, err } = await server.run(line);
    expect(code).toBe(2);
    expect(err).toMatch(message);
    expect(existsSync(join(server.dir, 'out'))).toBe(false);
  });

  test('a folder that cannot be made is named', async () => {
    const server = await aMixedServer();
    server.file('out', 'a file');
    const { code, err } = await server.run('logs sums --results out');
    expect(code).toBe(1);
    expect(err).toContain(`error: ${join(server.dir, 'out')}: `);
  });
});

describe('the folder of an index', () => {
  test.each([
    [{ index: 1 }, '000001'],
    [{ index: 999_999 }, '999999'],
    [{ index: 1, resultName: '000001-banana.txt' }, '000001-banana.txt'],
    [{ index: 1, resultName: '000001-Umsätze-日本.csv' }, '000001-Umsätze-日本.csv'],
    [{}, 'sums-abcde'],
  ])('of %j', (attempt, expected) => {
    expect(resultFolderName({ ...attempt, pod: 'sums-abcde' })).toBe(expected);
  });

  test.each(['../x', 'a/b', '..', '', '.hidden', 'a\0', 'a\\b', 'x'.repeat(101), '日'.repeat(34), 'a\u202eb'])(
    'never %j',
    (name) => {
      expect(() => resultFolderName({ pod: name })).toThrow('is no name for a folder of results');
      expect(() => resultFolderName({ index: 1, pod: 'p', resultName: name })).toThrow('is no name for a folder');
    },
  );
});
