import { describe, expect, test } from 'vitest';
import { runCommandLine } from '../../../cli/program/program.ts';
import { plusMs } from '../../../shared/domain/base/time.ts';
import { START, type World } from '../../kube/a-world.ts';
import { type AServer, type ServerWish, aServer } from '../a-server.ts';

// `muster run NAME … -- COMMAND` with a server: from the manifest on, it is `run -f`.

const end = (verdict: 'complete' | 'failed') => async (world: World) => {
  const reason = verdict === 'complete' ? 'CompletionsReached' : 'BackoffLimitExceeded';
  const at = plusMs(START, 5_000);
  await world.commit('zip', [], {
    startTime: START,
    phase: {
      kind: 'finished',
      verdict: { kind: verdict, reason, message: 'It is over', decidedBy: null } as never,
      since: at,
      at,
    },
  });
};

/** Runs words, which may have blanks in them. */
async function runWords(server: AServer, words: readonly string[]) {
  const shell = server.shell();
  const code = await runCommandLine(words, shell.shell);
  return { code, out: shell.out(), err: shell.err() };
}

const ZIP = ['run', 'zip', '--image', 'debian:12-slim', '--completions', '2'];
const COMMAND = ['--', 'gzip', '$JOB_COMPLETION_INDEX'];
const job = async ({ json }: AServer) => json('/apis/batch/v1/namespaces/default/jobs/zip');

test('creates the Job', async () => {
  const server = await aServer();
  expect(await runWords(server, [...ZIP, ...COMMAND])).toEqual({ code: 0, out: 'job.batch/zip created\n', err: '' });
  expect(await job(server)).toMatchObject({
    spec: {
      completionMode: 'Indexed',
      completions: 2,
      parallelism: 2,
      template: { spec: { containers: [{ name: 'main', command: ['gzip', '$(JOB_COMPLETION_INDEX)'] }] } },
    },
  });
});

test('prints the Job, and the warnings and refusals of the server', async () => {
  const server = await aServer();
  const printed = await runWords(server, [...ZIP, '-o', 'json', ...COMMAND]);
  expect(JSON.parse(printed.out)).toMatchObject({ metadata: { name: 'zip', namespace: 'default' } });
  expect(await runWords(server, [...ZIP, ...COMMAND])).toMatchObject({
    code: 1,
    err: expect.stringContaining('jobs.batch "zip" already exists\n') as string,
  });
  expect((await runWords(server, [...ZIP, '--replace', '--force', ...COMMAND])).out).toBe('job.batch/zip replaced\n');
  expect(await runWords(server, ['run', 'Zip_1', '--image', 'i', '--', 'ls'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('metadata.name: Invalid value: "Zip_1"') as string,
  });
  expect((await runWords(server, [...ZIP, '-n', 'nowhere', ...COMMAND])).err).toContain(
    'namespaces "nowhere" not found',
  );
});

describe('--wait --rm', () => {
  const waited = async (wish: ServerWish, ...words: readonly string[]) => {
    const server = await aServer(wish);
    return { server, ...(await runWords(server, [...ZIP, '--wait', '--rm', ...words, ...COMMAND])) };
  };

  test('deletes the Job after its success', async () => {
    const { server, code, out } = await waited({ steps: [end('complete')] });
    expect(code).toBe(0);
    expect(out).toMatch(/^job\.batch\/zip created\n[^]*job\.batch\/zip complete: [^]*\njob\.batch "zip" deleted\n$/);
    expect(await job(server)).toMatchObject({ kind: 'Status', code: 404 });
  });

  test('prints the Job first, and messages apart', async () => {
    const { code, out, err } = await waited({ steps: [end('complete')] }, '-o', 'json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ kind: 'Job', status: { conditions: expect.any(Array) as unknown } });
    expect(err).toContain('job.batch "zip" deleted\n');
  });

  test('keeps a Job that has failed', async () => {
    const { server, code, out } = await waited({ steps: [end('failed')] });
    expect(code).toBe(1);
    expect(out).not.toContain('deleted');
    expect(await job(server)).toMatchObject({ kind: 'Job' });
  });
});
