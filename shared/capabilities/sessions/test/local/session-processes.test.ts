import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { SESSION_VARIABLE, hangUps } from '../../../../../local/ecs/sessions/session-processes.ts';

test('sessions that hang up together all end, and no other', async () => {
  const hangUp = hangUps();
  const aSession = (name: string) => {
    const child = spawn('sh', ['-c', 'read line; exit 3'], {
      env: { [SESSION_VARIABLE]: name },
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)));
    return { pid: child.pid ?? 0, stdin: child.stdin, ended };
  };
  const [one, two, other] = [aSession('one'), aSession('two'), aSession('one more')];
  hangUp(one.pid, 'one');
  hangUp(two.pid, 'two');
  expect(await Promise.all([one.ended, two.ended])).toEqual(['SIGHUP', 'SIGHUP']);
  other.stdin.end('a line\n');
  expect(await other.ended).toBe(3);
});
