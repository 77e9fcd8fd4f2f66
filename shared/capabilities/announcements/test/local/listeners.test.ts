import { createHmac } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { commandListener } from '../../local/command-listener.ts';
import type { Listener, Told } from '../../local/listener.ts';
import { tellListeners } from '../../local/tell-listeners.ts';
import { webhookListener } from '../../local/webhook-listener.ts';
import type { Announcement } from '../../domain/announcement.ts';
import type { JobState } from '../../../../domain/scoreboard/status.ts';
import { anAnnouncement } from '../an-announcement.ts';

const TOKEN = 'the-task-token';

const aChange = (version = 2, state: JobState = 'Failed', uid = 'uid-1'): Announcement =>
  anAnnouncement({ version, state, uid, reason: 'FailedIndexes' }, TOKEN);

const closers: (() => void)[] = [];
afterEach(() => closers.splice(0).forEach((close) => close()));

type Posted = { readonly url: string | undefined; readonly headers: IncomingHttpHeaders; readonly body: string };

/** A server on loopback, and what was posted to it. */
async function aServer(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const posted: Posted[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      posted.push({ url: request.url, headers: request.headers, body });
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, posted };
}

const never = new AbortController().signal;

describe('a command', () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-on-event-'));

  test('gets the event as JSON and what is asked first in variables, and nothing of the token', async () => {
    const listener = commandListener('cat > event.json && env > variables', folder);
    expect(await listener.tell(aChange(), never)).toEqual({ kind: 'taken' });
    const [event, variables] = ['event.json', 'variables'].map((file) => readFileSync(join(folder, file), 'utf8'));
    expect(JSON.parse(event!)).toMatchObject({
      id: 'uid-1/2',
      source: 'muster',
      'detail-type': 'Muster Job State Change',
      detail: aChange().detail,
    });
    expect(variables).toMatch(/^MUSTER_EVENT_STATE=Failed$/m);
    expect(variables).toMatch(/^MUSTER_EVENT_REASON=FailedIndexes$/m);
    expect(variables).toMatch(/^MUSTER_JOB_NAME=work$/m);
    expect(event! + variables!).not.toContain(TOKEN);
  });

  test.each([
    ['exit 3', /^it ended with 3$/],
    ['echo no mail >&2; exit 1', /^it ended with 1: no mail$/],
    ['kill -TERM $$', /^it ended with SIGTERM$/],
    ['no-such-command-at-all', /^it ended with 127: .*not found/],
  ])('that fails (%s) has not taken it', async (command, why) => {
    const told = await commandListener(command, folder).tell(aChange(), never);
    expect(told.kind === 'refused' ? told.why : 'taken').toMatch(why);
  });

  test('that does not read, and one that leaves something behind, have taken it', async () => {
    expect(await commandListener('exec <&-; exit 0', folder).tell(aChange(), never)).toEqual({ kind: 'taken' });
    expect(await commandListener('sleep 30 & exit 0', folder).tell(aChange(), never)).toEqual({ kind: 'taken' });
  });

  test('that hangs is ended, with what it has started, after its time or with the runtime', async () => {
    const hanging = '(until [ -e go ]; do sleep 0.02; done; touch late) & wait';
    const told = await commandListener(hanging, folder, 500).tell(aChange(), never);
    expect(told).toEqual({ kind: 'refused', why: 'it ran for more than 0.5 s' });
    writeFileSync(join(folder, 'go'), '');
    await sleep(1_000);
    expect(existsSync(join(folder, 'late'))).toBe(false);
    const ending = new AbortController();
    const other = commandListener('sleep 600 & wait', folder).tell(aChange(), ending.signal);
    ending.abort();
    expect((await other).kind).toBe('refused');
  });
});

describe('an address', () => {
  test('gets the event, signed over its bytes, and nothing of the token', async () => {
    const { url, posted } = await aServer((_, response) => response.writeHead(204).end());
    expect(await webhookListener(`${url}/hook?a=b`, 'secret').tell(aChange(), never)).toEqual({ kind: 'taken' });
    const [{ url: path, headers, body }] = posted as [Posted];
    expect(path).toBe('/hook?a=b');
    expect(headers['content-type']).toBe('application/json');
    expect(headers['x-muster-event-id']).toBe('uid-1/2');
    const hmac = createHmac('sha256', 'secret').update(body).digest('hex');
    expect(headers['x-muster-signature']).toBe(`sha256=${hmac}`);
    expect(JSON.parse(body)).toMatchObject({ detail: { state: 'Failed' } });
    expect(JSON.stringify(posted)).not.toContain(TOKEN);
  });

  test('without a key gets no signature', async () => {
    const { url, posted } = await aServer((_, response) => response.end());
    await webhookListener(url, null).tell(aChange(), never);
    expect(posted[0]?.headers).not.toHaveProperty('x-muster-signature');
  });

  test('is followed within its host, and nowhere else', async () => {
    const elsewhere = await aServer((_, response) => response.end());
    const { url, posted } = await aServer((request, response) => {
      const to = { '/here': '/there', '/away': `${elsewhere.url}/x`, '/round': '/round' }[request.url ?? ''];
      if (to === undefined) response.end();
      else response.writeHead(307, { location: to }).end();
    });
    expect(await webhookListener(`${url}/here`, null).tell(aChange(), never)).toEqual({ kind: 'taken' });
    expect(posted.map((each) => each.url)).toEqual(['/here', '/there']);
    const away = await webhookListener(`${url}/away`, 'secret').tell(aChange(), never);
    expect(away).toEqual({ kind: 'refused', why: `it redirected to ${elsewhere.url}, which nobody has named` });
    expect(elsewhere.posted).toEqual([]);
    const round = await webhookListener(`${url}/round`, null).tell(aChange(), never);
    expect(round).toEqual({ kind: 'refused', why: 'it redirected 4 times' });
  });

  test('that answers otherwise, or not at all, has not taken it', async () => {
    const broken = await aServer((_, response) => response.writeHead(503).end('later'));
    expect(await webhookListener(broken.url, null).tell(aChange(), never)).toEqual({
      kind: 'refused',
      why: 'it answered 503',
    });
    const silent = await aServer(() => undefined);
    expect(await webhookListener(silent.url, null, 200).tell(aChange(), never)).toEqual({
      kind: 'refused',
      why: 'it did not answer within 0.2 s',
    });
    expect(await webhookListener('http://127.0.0.1:9', null).tell(aChange(), never)).toMatchObject({ kind: 'refused' });
  });
});

describe('listeners', () => {
  /** A listener that a test answers for. */
  function aListener(name: string) {
    const asked: { readonly id: string; readonly answer: (told: Told) => void }[] = [];
    const listener: Listener = {
      name,
      tell: async ({ id }, signal) =>
        new Promise((answer) => {
          asked.push({ id, answer });
          signal.addEventListener('abort', () => answer({ kind: 'refused', why: 'the runtime ends' }));
        }),
    };
    return { listener, asked };
  }
  const TAKEN: Told = { kind: 'taken' };
  const REFUSED: Told = { kind: 'refused', why: 'busy' };

  function aTelling(...names: string[]) {
    const all = names.map(aListener);
    const noted: string[] = [];
    const told = tellListeners(
      all.map(({ listener }) => listener),
      async (uid, version) => void noted.push(`${uid}/${version}`),
      () => undefined,
    );
    closers.push(() => void told.close(0));
    return { told, noted, all };
  }

  test('get changes without anybody waiting for them; a Job’s changes in order, others beside', async () => {
    const { told, noted, all } = aTelling('one');
    const [{ asked }] = all as [ReturnType<typeof aListener>];
    const changes = [aChange(2, 'Started'), aChange(5, 'Failed')];
    expect((await told.announce(changes)).size).toBe(0);
    await told.announce([aChange(3, 'Started', 'uid-2')]);
    await expect.poll(() => asked.map(({ id }) => id)).toEqual(['uid-1/2', 'uid-2/3']);
    await told.announce(changes); // again, as a pass does that finds them due
    asked[0]?.answer(TAKEN);
    await expect.poll(() => asked.map(({ id }) => id)).toEqual(['uid-1/2', 'uid-2/3', 'uid-1/5']);
    asked[2]?.answer(TAKEN);
    await expect.poll(() => noted).toEqual(['uid-1/2', 'uid-1/5']);
  });

  test('who hangs keeps no other waiting; who has taken a change does not hear it again', async () => {
    const { told, noted, all } = aTelling('hangs', 'works');
    const [hangs, works] = all as [ReturnType<typeof aListener>, ReturnType<typeof aListener>];
    await told.announce([aChange()]);
    await expect.poll(() => works.asked).toHaveLength(1);
    works.asked[0]?.answer(TAKEN);
    await told.announce([aChange(9, 'Started', 'uid-2')]);
    await expect.poll(() => works.asked).toHaveLength(2);
    await told.announce([aChange()]);
    await sleep(20);
    expect([works.asked.length, noted]).toEqual([2, []]);
    hangs.asked[0]?.answer(TAKEN);
    await expect.poll(() => noted).toEqual(['uid-1/2']);
  });

  test('what was refused three times is not noted, nor what comes after it, until it comes again', async () => {
    const answers: Told[] = [REFUSED, REFUSED, REFUSED, TAKEN, TAKEN];
    const heard: string[] = [];
    const noted: number[] = [];
    const listener: Listener = {
      name: 'moody',
      async tell({ id }) {
        heard.push(id);
        return answers.shift() ?? REFUSED;
      },
    };
    const told = tellListeners(
      [listener],
      async (_, version) => void noted.push(version),
      () => undefined,
      [1, 1],
    );
    closers.push(() => void told.close(0));
    const [first, second] = [aChange(2, 'Started'), aChange(5, 'Failed')];
    await told.announce([first, second]);
    await expect.poll(() => heard).toHaveLength(4);
    expect(heard).toEqual([first.id, first.id, first.id, second.id]);
    expect(noted).toEqual([]);
    await told.announce([first, second]);
    await expect.poll(() => noted).toEqual([5]);
    expect(heard.slice(4)).toEqual([first.id]);
  });

  test('who refuses all leaves a bounded memory of what others have taken', async () => {
    const taken: string[] = [];
    const listener = (name: string, told: Told): Listener => ({
      name,
      async tell({ id }) {
        if (told.kind === 'taken') taken.push(id);
        return told;
      },
    });
    const told = tellListeners(
      [listener('refuses', REFUSED), listener('takes', TAKEN)],
      async () => undefined,
      () => undefined,
      [],
    );
    closers.push(() => void told.close(0));
    const change = (n: number): Announcement => aChange(2, 'Failed', `uid-${n}`);
    for (let n = 1; n <= 1_001; n++) {
      await told.announce([change(n)]);
      await expect.poll(() => taken, { interval: 1 }).toHaveLength(n);
    }
    await told.announce([change(1_001)]);
    await told.announce([change(1)]);
    await expect.poll(() => taken).toHaveLength(1_002);
    expect(taken.at(-1)).toBe(change(1).id);
  });

  test('end with the runtime, also if they hang', async () => {
    const deaf = new Promise<Told>(() => undefined);
    let isAsked = false;
    const listener: Listener = { name: 'deaf', tell: async () => ((isAsked = true), deaf) };
    const told = tellListeners(
      [listener],
      async () => undefined,
      () => undefined,
    );
    await told.announce([aChange()]);
    await expect.poll(() => isAsked).toBe(true);
    await told.close(1);
  });

  test('end with the runtime', async () => {
    const { told, all } = aTelling('hangs');
    await told.announce([aChange(), aChange(4, 'Deleted')]);
    await expect.poll(() => all[0]?.asked).toHaveLength(1);
    await told.close(10_000);
    await told.announce([aChange(7)]);
    await sleep(20);
    expect(all[0]?.asked).toHaveLength(1);
  });
});
