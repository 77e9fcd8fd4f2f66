import { describe, expect, test } from 'vitest';
import { type AServer, aServer } from '../../../../../test/cli/a-server.ts';
import { aFolder } from '../../../../../test/cli/run-line/typed-line.ts';
import { runCommandLine } from '../../../../../cli/program/program.ts';

// `muster run NAME --schedule CRON … -- COMMAND`.

/** Runs words, which may have blanks in them. */
async function runWords(server: AServer, words: readonly string[]) {
  const shell = server.shell();
  const code = await runCommandLine(words, shell.shell);
  return { code, out: shell.out(), err: shell.err() };
}

const ZIP = ['run', 'zip', '--image', 'debian:12-slim', '--completions', '2'];
const COMMAND = ['--', 'gzip', '$JOB_COMPLETION_INDEX'];

test('a schedule is read by the clock of a zone, and the answer says when it fires next', async () => {
  const server = await aServer();
  const { out } = await runWords(server, [
    ...ZIP,
    '--schedule',
    '0 4 * * *',
    '--timezone',
    'Europe/Berlin',
    ...COMMAND,
  ]);
  expect(out).toBe('cronjob.batch/zip created\nnext: 2023-11-15 04:00 Europe/Berlin (2023-11-15T03:00:00Z)\n');
  expect(await server.json('/apis/batch/v1/namespaces/default/cronjobs/zip')).toMatchObject({
    spec: { schedule: '0 4 * * *', timeZone: 'Europe/Berlin' },
  });
  const never = await runWords(server, ['run', 'never', ...ZIP.slice(2), '--schedule', '0 0 30 2 *', ...COMMAND]);
  expect(never.out).toBe('cronjob.batch/never created\nnext: never, no day matches "0 0 30 2 *"\n');
});

test('creates a CronJob', async () => {
  const server = await aServer();
  const { code, out } = await runWords(server, [...ZIP, '--schedule', '0 3 * * *', ...COMMAND]);
  expect({ code, out }).toEqual({
    code: 0,
    out: 'cronjob.batch/zip created\nnext: 2023-11-15 03:00 UTC (2023-11-15T03:00:00Z)\n',
  });
  expect(await server.json('/apis/batch/v1/namespaces/default/cronjobs/zip')).toMatchObject({
    spec: { schedule: '0 3 * * *', jobTemplate: { spec: { completions: 2 } } },
  });
});

describe('its manifest', () => {
  test('is printed as it is asked for', async () => {
    const { type } = aFolder({});
    const dry = 'run zip --image debian:12-slim --dry-run=client';
    expect((await type(`${dry} --schedule '@daily' -- zip`)).out).toBe('cronjob.batch/zip created (dry run)\n');
    expect((await type(`${dry} -o name --schedule '@daily' -- zip`)).out).toBe('cronjob.batch/zip\n');
  });

  test('has the Job of the line as its template', async () => {
    const { code, out } = await aFolder({}).type(
      `run process-files --schedule '0 3 * * *' --image=myfileprocessor --per-completion-env=F="a b" --dry-run=client -o json -- /usr/local/bin/process_file '$F'`,
    );
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'process-files' },
      spec: {
        schedule: '0 3 * * *',
        jobTemplate: { metadata: { annotations: { 'muster.run/items': 'F\na\nb\n' } }, spec: { completions: 2 } },
      },
    });
  });
});

test.each<[string, string]>([
  ['run zip --image i --timezone Europe/Berlin -- ls', '--timezone needs --schedule'],
  ['run zip --image i --schedule @daily --wait -- ls', '--schedule creates a CronJob: --wait is for Jobs'],
  [
    'run zip --image i --schedule @daily --replace -- ls',
    '--schedule creates a CronJob: --replace is for Jobs; --dry-run=client -o yaml | kubectl apply -f - changes one',
  ],
  [
    `run zip --image i --schedule '@daily' --array 1-3 --allow-empty -- ls`,
    '--allow-empty is for a Job: a CronJob keeps the list that it is created with',
  ],
  ['run -f job.yaml --schedule @daily', "--schedule is for `muster run NAME`; in a file the Job's own fields say it"],
])('%s is refused', async (line, expected) => {
  const { code, out, err } = await aFolder({}).type(line);
  expect(err).toContain(expected);
  expect({ code, out }).toEqual({ code: 2, out: '' });
});
