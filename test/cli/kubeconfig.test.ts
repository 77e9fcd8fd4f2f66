import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { findTarget } from '../../cli/client/kubeconfig.ts';

function config(server: string, more: { cluster?: object; user?: object; namespace?: string; name?: string } = {}) {
  const { name = 'c', namespace, cluster = {}, user = {} } = more;
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server, ...cluster } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name, ...(namespace === undefined ? {} : { namespace }) } }],
  };
}

/** Finds a target in a folder, `below` a fresh one, that has these files. */
function inFolder(
  files: Readonly<Record<string, object | string>>,
  env: Readonly<Record<string, string>> = {},
  below = '.',
) {
  const root = mkdtempSync(join(tmpdir(), 'muster-kubeconfig-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const cwd = join(root, below);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), typeof content === 'string' ? content : stringify(content));
  }
  return (asked: string | null = null) => findTarget(asked, { cwd, env });
}

const A = 'http://127.0.0.1:1';
const B = 'http://127.0.0.1:2';
const C = 'http://127.0.0.1:3';
const OWN = '.muster/kubeconfig';
/** Of a cluster that is none of ours. */
const CLUSTER = config('https://k8s.example', { cluster: { 'certificate-authority-data': 'x' } });

describe('which kubeconfig', () => {
  test.each<[string, Readonly<Record<string, object>>, string | null, string, string, string | null]>([
    ['the one that is asked for', { a: config(A), [OWN]: config(B), c: config(C) }, 'a', A, 'a', null],
    ['else the one that KUBECONFIG names', { c: config(C) }, null, C, 'c', null],
    [
      'with a word that the one of the folder is another',
      { [OWN]: config(B), c: config(C) },
      null,
      C,
      'c',
      `Using ${C}, which KUBECONFIG names (c), not ${B} (${OWN})`,
    ],
    ['without one if it is the same', { [OWN]: config(C), c: config(C) }, null, C, 'c', null],
    ['but not if that is no Muster', { [OWN]: config(B), c: CLUSTER }, null, B, OWN, null],
    ['nor if it is not there', { [OWN]: config(B) }, null, B, OWN, null],
  ])('%s', (_, files, asked, server, file, note) => {
    expect(inFolder(files, { KUBECONFIG: 'c' })(asked)).toMatchObject({ target: { server, file }, note });
  });

  test('the nearest folder above that has one, with a word that it does', () => {
    const find = inFolder({ [`../../${OWN}`]: config(A), [`../../../${OWN}`]: config(B) }, {}, 'here/a/b');
    expect(find()).toEqual({
      target: { server: A, file: `../../${OWN}`, namespace: 'default', token: null },
      note: `Using ../../${OWN}`,
    });
  });

  test('a cluster is recognized even where there is nothing else', () => {
    expect(() => inFolder({ c: CLUSTER }, { KUBECONFIG: 'c' })()).toThrow('does not look like a Muster server');
  });

  test('of several in KUBECONFIG the first that says something wins, and missing ones do not matter', () => {
    const only = { 'current-context': 'c' };
    const find = inFolder({ only, b: config(B), c: config(C) }, { KUBECONFIG: 'missing:only:b:c' });
    expect(find().target).toMatchObject({ server: B, file: 'b' });
  });

  test('none at all: says where it looked and what to do', () => {
    expect(() => inFolder({})()).toThrow(
      /^error: no server found: there is no \.muster\/kubeconfig here or in a parent folder\nStart one with/,
    );
    expect(() => inFolder({}, { KUBECONFIG: 'x:y' })()).toThrow('nor what KUBECONFIG names (x, y)');
    expect(() => inFolder({})('nope')).toThrow('error: there is no kubeconfig nope');
  });

  test('namespace and token', () => {
    const named = { a: config('https://m.example/prod/', { namespace: 'team', user: { token: 't' } }) };
    const target = { server: 'https://m.example/prod', namespace: 'team', token: 't', file: 'a' };
    expect(inFolder(named)('a').target).toEqual(target);
    expect(inFolder({ a: config(A) })('a').target).toMatchObject({ namespace: 'default', token: null });
  });
});

describe('what is refused', () => {
  test.each<[string, object | string, string]>([
    ['no YAML', 'a: [', 'a is not a kubeconfig'],
    ['another document', '- 1', 'a is not a kubeconfig'],
    ['nothing', '', 'has no current-context'],
    ['a context that is not there', { ...config(A), contexts: [] }, 'has no context "c"'],
    ['a cluster that is not there', { ...config(A), clusters: [] }, 'has no cluster "c"'],
    ['no address', config('nope'), 'names the server "nope", which is not an http(s) address'],
    ['http to another machine', config('http://10.0.0.1:80'), 'plain http is allowed only on this machine'],
    ['http to a name that only begins like ours', config('http://localhost.evil.example'), 'plain http is allowed'],
    [
      'a certificate authority',
      config('https://k8s.example', { cluster: { 'certificate-authority-data': 'x' } }),
      'does not look like a Muster server',
    ],
    [
      'a client certificate',
      config('https://k8s.example', { user: { 'client-certificate-data': 'x' } }),
      'its user has "client-certificate-data"',
    ],
    ['a program that signs in', config('https://k8s.example', { user: { exec: {} } }), 'its user has "exec"'],
  ])('%s', (_, content, expected) => {
    expect(() => inFolder({ a: content })('a')).toThrow(expected);
  });
});

test.runIf(process.getuid?.() === 0)('a file of another user is not used, also here, and a line says so', () => {
  const NOT = 'Not using .muster/kubeconfig: it belongs to another user (uid 65534)';
  const root = mkdtempSync(join(tmpdir(), 'muster-kubeconfig-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const cwd = join(root, 'below');
  for (const folder of [root, cwd]) {
    mkdirSync(join(folder, '.muster'), { recursive: true });
    writeFileSync(join(folder, OWN), stringify(config(folder === root ? A : B)));
  }
  chownSync(join(cwd, OWN), 65_534, 65_534);
  const { target, note } = findTarget(null, { cwd, env: {} });
  expect([target.server, note]).toEqual([A, `${NOT}\nUsing ../.muster/kubeconfig`]);
  rmSync(join(root, OWN));
  expect(() => findTarget(null, { cwd, env: {} })).toThrow(`parent folder\n${NOT}\nStart one`);
});
