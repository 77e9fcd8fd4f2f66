import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { listenersIn } from '../../../cli/shell/event-listeners.ts';
import { aServer } from '../a-server.ts';

// Everybody on a machine sees command lines, so what is secret comes by a file, or by a variable.

const URL_FILE = 'https://hooks.example/T0/SECRET';
const URL_VARIABLE = 'https://hooks.example/T0/OTHER';

function aFolder(files: Readonly<Record<string, readonly [string, number]>>): string {
  const cwd = mkdtempSync(join(tmpdir(), 'muster-secrets-'));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  for (const [name, [text, mode]] of Object.entries(files)) {
    writeFileSync(join(cwd, name), text);
    chmodSync(join(cwd, name), mode);
  }
  return cwd;
}
const FILES = {
  url: [`${URL_FILE}\n`, 0o600],
  key: [' k3y\n', 0o400],
  empty: ['\n', 0o600],
  open: [`${URL_FILE}\n`, 0o666],
  wrong: ['hooks.example/SECRET', 0o600],
  withUser: ['https://kim:SECRET@hooks.example/', 0o600],
} as const;
const NONE = { eventUrlFile: null, eventKeyFile: null };

test.each([
  [{ ...NONE }, {}, {}],
  [{ ...NONE }, { MUSTER_EVENT_URL: '', MUSTER_EVENT_KEY: 'k' }, {}],
  [{ ...NONE, listeners: { command: 'x' } }, {}, { command: 'x' }],
  [{ ...NONE }, { MUSTER_EVENT_URL: URL_VARIABLE }, { url: URL_VARIABLE }],
  [{ ...NONE, eventUrlFile: 'url' }, { MUSTER_EVENT_URL: URL_VARIABLE }, { url: URL_FILE }],
  [{ ...NONE, listeners: { url: 'http://a/' } }, { MUSTER_EVENT_URL: URL_VARIABLE }, { url: 'http://a/' }],
  [{ ...NONE, eventUrlFile: 'url' }, { MUSTER_EVENT_KEY: 'k' }, { url: URL_FILE, signingKey: 'k' }],
  [{ eventUrlFile: 'url', eventKeyFile: 'key' }, { MUSTER_EVENT_KEY: 'k' }, { url: URL_FILE, signingKey: 'k3y' }],
])('%j with %j: changes go to %j', (flags, env, listeners) => {
  expect(listenersIn(flags, { cwd: aFolder(FILES), env })).toEqual(listeners);
});

test.each([
  [
    { ...NONE, eventKeyFile: 'key' },
    {},
    '--event-key-file needs --on-event-url, --on-event-url-file, or MUSTER_EVENT_URL',
  ],
  [{ eventUrlFile: 'url', eventKeyFile: 'open' }, {}, '--event-key-file open: others can read it (mode 0666)'],
  [{ eventUrlFile: 'url', eventKeyFile: 'empty' }, {}, '--event-key-file: empty is empty'],
  [{ ...NONE, eventUrlFile: 'open' }, {}, '--on-event-url-file open: others can read it (mode 0666)'],
  [{ ...NONE, eventUrlFile: 'empty' }, {}, '--on-event-url-file: empty is empty'],
  [{ ...NONE, eventUrlFile: 'nowhere' }, {}, '--on-event-url-file: ENOENT'],
  [{ ...NONE, eventUrlFile: 'wrong' }, {}, '--on-event-url-file: it must be an address'],
  [{ ...NONE, eventUrlFile: 'withUser' }, {}, '--on-event-url-file: it must hold no user and no password'],
  [{ ...NONE }, { MUSTER_EVENT_URL: 'SECRET' }, 'MUSTER_EVENT_URL: it must be an address'],
])('%j with %j is refused, without what is secret', (flags, env, expected) => {
  const listen = (): unknown => listenersIn(flags, { cwd: aFolder(FILES), env });
  expect(listen).toThrow(expected);
  expect(listen).toThrow(/^(?!.*SECRET)/);
});

test.each([
  ['local --event-key-file open --on-event-url http://127.0.0.1:1', 1, '--event-key-file open: others can read it'],
  ['local --detach --on-event-url-file open', 1, '--on-event-url-file open: others can read it (mode 0666)'],
  ['local --on-event-url-file open --on-event-url http://127.0.0.1:1', 2, 'cannot be used with'],
])('%s: refused before anything starts', async (line, code, expected) => {
  const { run, file, dir } = await aServer();
  file('open', URL_FILE);
  chmodSync(join(dir, 'open'), 0o666);
  const answer = await run(line);
  expect(answer.err).toContain(expected);
  expect(answer).toMatchObject({ code, out: '' });
});

test('run passes a variable of the shell on by its name', async () => {
  const { run } = await aServer();
  const line = 'run zip --image i --env DB_PASSWORD --env MODE=x --dry-run client -o yaml -- ls';
  const { out, err } = await run(line, { env: { DB_PASSWORD: 'a=b c' } });
  expect(err).toBe('');
  expect(parse(out)).toMatchObject({
    spec: {
      template: {
        spec: {
          containers: [
            {
              env: [
                { name: 'DB_PASSWORD', value: 'a=b c' },
                { name: 'MODE', value: 'x' },
              ],
            },
          ],
        },
      },
    },
  });
});
