import { expect, test } from 'vitest';
import { aFolder } from '../../../../../test/cli/run-line/typed-line.ts';

test.each<[string, string]>([
  [
    'run zip -P 3',
    '--parallelism is not for a Job of a JobConfig; a Job that runs a command needs --image, and the command after --',
  ],
  ['run zip --replace', '--replace is not for a Job of a JobConfig'],
  ['run zip --image i -O a=1 -- ls', '--option-values is for `muster run JOBCONFIG`'],
  ['run zip --image i --no-interactive -- ls', '--no-interactive is for `muster run JOBCONFIG`'],
  ['run -f job.yaml --enqueue', "--enqueue is for `muster run NAME`; in a file the Job's own fields say it"],
  ['run zip --name a --generate-name b-', '--name and --generate-name cannot be combined'],
  ['run zip --at 2000-01-01T00:00:00Z --after 1h', '--at and --after cannot be combined'],
  ['run zip --after fetch', '--after fetch: a Job of a JobConfig starts after a duration such as 90s, 5m, or 1h30m'],
  ['run zip --at 2000-01-01T00:00:00Z', '--at names a moment that has passed'],
  ['run zip --enqueue --concurrency-policy Forbid', '--enqueue and --concurrency-policy Forbid cannot be combined'],
  ['run cronjob/zip', '"cronjob/zip" is not the name of a JobConfig'],
])('%s is refused, and creates nothing', async (line, expected) => {
  const { code, out, err } = await aFolder({}).type(line);
  expect(err).toContain(expected);
  expect({ code, out }).toEqual({ code: 2, out: '' });
});
