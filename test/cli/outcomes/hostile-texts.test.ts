import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import type { AServer } from '../a-server.ts';
import { START } from '../../kube/a-world.ts';
import { endJob } from '../ended-job.ts';
import { aMixedServer } from './a-mixed-job.ts';

// A user who may create Jobs writes much of what others print. Here every such text sets a terminal's title, and more.

const EVIL = '\u001B]0;pwned\u0007\u009B2J\u001B[8m\r\u007F';

/** What holds words of people in answers of the API; names, times, and words of Kubernetes are checked by it. */
const WORDS =
  /^(?:message|item|verdict|cause|because|image|command|args|words|text|what|remedy|log|lastLine|host|nodeName|example\.org\/note|muster\.run\/item|gitVersion)$/;

function spoiled(value: unknown, key: string): unknown {
  if (typeof value === 'string') return WORDS.test(key) ? EVIL + value : value;
  if (Array.isArray(value)) return value.map((each) => spoiled(each, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, spoiled(each, name)]));
}

/** A line of JSON, or of a log. */
function spoiledLine(line: string): string {
  try {
    return JSON.stringify(spoiled(JSON.parse(line), ''));
  } catch {
    return line === '' ? '' : EVIL + line;
  }
}

/** A server whose answers are spoiled from now on. */
async function aHostileServer(isOver: boolean) {
  let isHostile = false;
  const server: AServer = await aMixedServer(
    {
      intercept(request, response) {
        if (isHostile) void spoil(server, request, response);
        return isHostile;
      },
    },
    {},
    { annotations: { 'example.org/note': 'a note', 'muster.run/items': 'F\na\nb\nc\nd\ne\n' } },
  );
  if (isOver) await endJob(server.world, 'sums', START, true);
  isHostile = true;
  return server;
}

async function spoil({ world }: AServer, { url = '', method, headers }: IncomingMessage, response: ServerResponse) {
  const { host = '', accept = '' } = headers;
  const answer = await world.app.fetch(
    new Request(`http://${host}${url}`, { ...(method === undefined ? {} : { method }), headers: { host, accept } }),
  );
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
  response.end((await answer.text()).split('\n').map(spoiledLine).join('\n'));
}

/** What the live view and styles are made of. */
const OURS = new RegExp(`${'\u001B'}\\[(?:\\?(?:25|7|2026)[hl]|[JK]|\\d+F|(?:[12]|22|3[1-69])m)`, 'g');
const TERMINAL = { columns: 200, rows: 50 };

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
  { line: 'doctor sums' },
  { line: 'doctor' },
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
    expect((out + err).replaceAll(OURS, '').match(/(?![\t\n])\p{Cc}/gu)).toBeNull();
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
