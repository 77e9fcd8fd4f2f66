import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { localBanner } from '../../../../cli/render/local-banner.ts';
import { writeKubeconfig } from '../../../../local/kubeconfig.ts';
import { aServer } from '../../../../test/cli/a-server.ts';
import { aShell } from '../../../../test/cli/a-shell.ts';
import { showPage } from '../cli/show-page.ts';
import { openerFor } from '../domain/opener.ts';
import { FROM_PAGE, aPage } from './a-page.ts';

const FLAGS = { namespace: null, kubeconfig: null, open: true };

async function aDesk({ asksWho = true, token = 'kims-token-0123456789', env = {} } = {}) {
  const page = await aPage({ asksWho });
  mkdirSync(join(page.folder, '.muster'));
  writeKubeconfig(join(page.folder, '.muster'), page.url, asksWho ? { token } : {});
  const shell = aShell({ cwd: page.folder, env, terminal: { columns: 80, rows: 24 } });
  const opened: (readonly [string, string])[] = [];
  const show = async (job: string | null, flags: Partial<typeof FLAGS> = {}): Promise<number> =>
    showPage(job, { ...FLAGS, ...flags }, shell.shell, (program, address) => opened.push([program, address]));
  return { page, shell, opened, show };
}

describe('muster ui', () => {
  test('prints an address that signs its user in, once', async () => {
    const { page, shell, opened, show } = await aDesk();
    expect(await show(null)).toBe(0);
    const [, link = ''] = new RegExp(`^${page.url}/ui/#link=([\\w-]{43})\n$`).exec(shell.out()) ?? [];
    const redeemed = { method: 'POST', headers: FROM_PAGE, body: JSON.stringify({ link }) };
    expect((await page.ask('/ui/session', redeemed)).status).toBe(204);
    expect((await page.ask('/ui/session', redeemed)).status).toBe(401);
    expect(opened).toEqual([]);
  });

  test('prints a plain address where the API knows everybody, of a Job if it is asked for', async () => {
    const { page, shell, show } = await aDesk({ asksWho: false });
    await show(null);
    await show('frames');
    expect(shell.out()).toBe(`${page.url}/ui/\n${page.url}/ui/ns/default/jobs/frames\n`);
  });

  test('opens nothing if nobody wants that', async () => {
    const { opened, show } = await aDesk({ asksWho: false, env: { DISPLAY: ':0' } });
    await show(null, { open: false });
    expect(opened).toEqual([]);
    await show(null);
    expect(opened).toHaveLength(process.platform === 'linux' || process.platform === 'darwin' ? 1 : 0);
  });

  test('says so where there is no page, or where the token is not known', async () => {
    const server = await aServer();
    const { code, out, err } = await server.run('ui');
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('has no page');
    const { show } = await aDesk({ token: 'of nobody' });
    await expect(show(null)).rejects.toThrow('Unauthorized');
  });
});

test('the banner of muster local names the address, and where users sign in, the command that opens it', () => {
  const { shell } = aShell({ cwd: '/home/kim' });
  const banner = (users: string | null, page: string | null = 'http://127.0.0.1:1/ui/'): string =>
    localBanner(
      { url: 'http://127.0.0.1:1', page, kubeconfig: '/home/kim/.muster/kubeconfig', adopted: { tasks: 0, jobs: 0 } },
      { dataDir: '.muster', workspaceDir: '.', driver: 'process', environment: { entries: [], inherit: false }, users },
      null,
      shell,
    );
  expect(banner(null)).toMatch(/^ +page +http:\/\/127\.0\.0\.1:1\/ui\/$/m);
  expect(banner('users.csv')).toMatch(/^ +page +muster ui opens it, signed in$/m);
  expect(banner('users.csv')).not.toContain('/ui/');
  expect(banner(null, null)).not.toMatch(/^ +page /m);
});

test.each<[string, Partial<Parameters<typeof openerFor>[0]>, string | null]>([
  ['on a desktop', {}, 'xdg-open'],
  ['on Wayland', { env: { WAYLAND_DISPLAY: 'wayland-0' } }, 'xdg-open'],
  ['without a desktop', { env: {} }, null],
  ['for a program that reads the address', { isTerminal: false }, null],
  ['from afar', { env: { DISPLAY: ':10', SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' } }, null],
  ['on a Mac', { platform: 'darwin', env: {} }, 'open'],
  ['with a secret on a Mac', { platform: 'darwin', env: {}, isSecret: true }, null],
  ['with a secret on Linux', { isSecret: true }, 'xdg-open'],
  ['elsewhere', { platform: 'win32' }, null],
])('whether a browser is opened: %s', (_, desk, program) => {
  const usual = { platform: 'linux', env: { DISPLAY: ':0' }, isTerminal: true, isSecret: false };
  expect(openerFor({ ...usual, ...desk })).toBe(program);
});
