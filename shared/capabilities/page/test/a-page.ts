import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request as send } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { startFront } from '../../../../local/front/api-front.ts';
import { guarded } from '../../../../local/front/guarded.ts';
import { authenticateUsers } from '../../../../local/users/authenticate-users.ts';
import { aWorld } from '../../../../test/kube/a-world.ts';
import { aTemporaryFolder } from '../../../../test/support/a-temporary-folder.ts';
import { readPageFiles } from '../local/page-files.ts';
import { servePage } from '../local/serve-page.ts';
import { createSignIns } from '../local/sign-ins.ts';

export const KIM = 'Bearer kims-token-0123456789';
const USERS = [{ username: 'kim', groups: ['team'], token: 'kims-token-0123456789' }];

/** What a browser says of a request that a script of the page has sent, and of one that follows a link on another site. */
export const FROM_PAGE = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' };
export const FOLLOWED = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

type Sent = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};
type Answered = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
  readonly bytes: Uint8Array;
};

/** A page with two files, beside an API over HTTP, for this test. */
export async function aPage({ asksWho = true } = {}) {
  const folder = aTemporaryFolder('page-');
  const ui = join(folder, 'ui');
  mkdirSync(join(ui, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'secret.js'), 'the secret');
  writeFileSync(join(ui, 'index.html'), '<!doctype html><title>Muster</title>');
  writeFileSync(join(ui, 'assets', 'main-ABC.js'), 'run()');
  writeFileSync(join(ui, 'assets', 'notes.txt'), 'no file of a page');
  symlinkSync(join(folder, 'secret.js'), join(ui, 'assets', 'link.js'));
  const clock = { nowMs: 1_700_000_000_000 };
  const world = await aWorld({ embedded: true, ...(asksWho ? { authenticate: authenticateUsers(USERS) } : {}) });
  const signIns = createSignIns(() => clock.nowMs);
  const files = readPageFiles(ui);
  const fetch = servePage((request, env) => world.app.fetch(request, env), {
    files: () => files,
    signIns,
    asksWho,
    guard: guarded,
  });
  const front = await startFront({ fetch }, null);
  onTestFinished(() => front.close());
  const { host, port } = new URL(front.url);

  /** Sends a path as it is written. */
  const ask = async (path: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<Answered> => {
    const request = send({ host: '127.0.0.1', port, path, method, agent: false, headers: { host, ...headers } });
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    for (const [name, value] of Object.entries(length)) request.setHeader(name, value);
    request.end(body);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve);
      request.once('error', reject);
    });
    const bytes = await buffer(answer);
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: bytes.toString(), bytes };
  };
  return {
    ask,
    url: front.url,
    folder,
    port,
    clock,
    /** `muster ui`, and what the page does with its link: the cookie that the browser then has. */
    async signIn(): Promise<string> {
      const { body } = await ask('/ui/links', { method: 'POST', headers: { authorization: KIM } });
      const { link } = JSON.parse(body) as { readonly link: string };
      const answer = await ask('/ui/session', { method: 'POST', headers: FROM_PAGE, body: JSON.stringify({ link }) });
      return String(answer.headers['set-cookie']).split(';')[0] ?? '';
    },
  };
}
