import { expect, test } from 'vitest';
import { aServer } from '../../../../../test/cli/a-server.ts';

test('--item finds the items of a WorkList of more than one page compares', async () => {
  const server = await aServer();
  const long = Array.from({ length: 10_100 }, (_, i) => `f${i}`).join('\n');
  server.file('list.txt', long);
  const line = 'run many --image x --per-completion-env F=@list.txt -- ls';
  expect(await server.run(line)).toMatchObject({ code: 0 });
  expect((await server.run('hold many --item f3 --item f10099')).out).toBe(
    'job.batch/many: 2 held: 3,10099 (f3, f10099)\n',
  );
});
