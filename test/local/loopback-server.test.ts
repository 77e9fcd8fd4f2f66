import { expect, test } from 'vitest';
import { listenOnLoopback } from '../../local/wire/loopback-server.ts';

/** Go's programs, kubectl among them, close an idle connection after 90 s. */
const CLIENTS_KEEP_SEC = 90;

test('an idle connection is closed by clients first, so that no change is sent on one that is being closed', async () => {
  const server = await listenOnLoopback((_, response) => response.end());
  try {
    const { headers } = await fetch(server.url);
    const [, keptSec] = /^timeout=(\d+)$/.exec(headers.get('keep-alive') ?? '') ?? [];
    expect(Number(keptSec)).toBeGreaterThan(CLIENTS_KEEP_SEC);
  } finally {
    await server.close();
  }
});

test('the path of a request may hold a whole script, as the command of an exec does', async () => {
  const server = await listenOnLoopback((request, response) => response.end(String(request.url?.length)));
  try {
    const path = `/exec?command=${'a'.repeat(500_000)}`;
    const answer = await fetch(`${server.url}${path}`);
    expect([answer.status, await answer.text()]).toEqual([200, String(path.length)]);
  } finally {
    await server.close();
  }
});
