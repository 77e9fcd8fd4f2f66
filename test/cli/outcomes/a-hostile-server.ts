import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AServer } from '../a-server.ts';
import { START } from '../../kube/a-world.ts';
import { endJob } from '../ended-job.ts';
import { aMixedServer } from './a-mixed-job.ts';

// A user who may create Jobs writes much of what others print. Here every such text sets a terminal's title, and more.

export const EVIL = '\u001B]0;pwned\u0007\u009B2J\u001B[8m\r\u007F';

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
export async function aHostileServer(isOver: boolean) {
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
export const TERMINAL = { columns: 200, rows: 50 };

/** What controls a terminal in what was printed, but for what Muster's own view needs. */
export const controlsIn = (printed: string): readonly string[] =>
  printed.replaceAll(OURS, '').match(/(?![\t\n])\p{Cc}/gu) ?? [];
