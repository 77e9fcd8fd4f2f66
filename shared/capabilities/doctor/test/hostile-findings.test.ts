import { expect, test } from 'vitest';
import { aHostileServer, controlsIn } from '../../../../test/cli/outcomes/a-hostile-server.ts';

test.each(['doctor sums', 'doctor'])('muster %s: nothing controls the terminal', async (line) => {
  const { run } = await aHostileServer(false);
  const { out, err } = await run(line);
  expect(out + err).toContain('pwned');
  expect(controlsIn(out + err)).toEqual([]);
});
