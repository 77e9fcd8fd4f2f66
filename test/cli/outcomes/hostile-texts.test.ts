import { expect, test } from 'vitest';
import { EVIL, TERMINAL, aHostileServer, controlsIn } from './a-hostile-server.ts';

test.each<{ line: string; isOver?: boolean; terminal?: typeof TERMINAL; env?: Record<string, string> }>([
  { line: 'get sums -o wide' },
  { line: 'get sums -o yaml' },
  { line: 'get sums -o json' },
  { line: 'get pods sums' },
  { line: 'get pods sums --failed -o wide' },
  { line: 'get waits sums' },
  { line: 'joblog sums' },
  { line: 'joblog sums --format csv', terminal: TERMINAL },
  { line: 'joblog sums --attempts --format json' },
  { line: 'failures sums' },
  { line: 'failures sums -o yaml' },
  { line: 'failures sums', terminal: TERMINAL, env: { FORCE_COLOR: '1' } },
  { line: 'delete nothing' },
  { line: 'suspend sums' },
  { line: 'version' },
  { line: 'watch sums', isOver: true },
  { line: 'watch sums', isOver: true, terminal: TERMINAL, env: { FORCE_COLOR: '1' } },
  { line: 'wait sums --for complete', isOver: true },
  { line: 'rerun sums --failed --dry-run -o yaml', isOver: true },
])(
  'muster $line (over: $isOver, $terminal): nothing controls the terminal',
  async ({ line, isOver = false, ...wish }) => {
    const { run } = await aHostileServer(isOver);
    const { out, err } = await run(line, wish);
    expect(out + err).toContain('pwned');
    expect(controlsIn(out + err)).toEqual([]);
  },
);

test('the output of tasks is printed as it is, behind prefixes that are clean', async () => {
  const { run } = await aHostileServer(true);
  const { out } = await run('logs sums --index 0,4');
  const [first = ''] = out.split('\n');
  const at = first.indexOf(EVIL);
  expect(first.slice(0, at)).toMatch(/^\[0 .*pwned.*\] $/);
  expect(first.slice(0, at)).not.toMatch(/\p{Cc}/u);
  expect(first.slice(at)).toBe(`${EVIL}begin 0/2`);
});

test('a program gets CSV as it is', async () => {
  const { run } = await aHostileServer(true);
  expect((await run('joblog sums --format csv')).out).toContain(`"${EVIL}a"`);
});
