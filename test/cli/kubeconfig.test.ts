import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { findTarget } from '../../cli/kubeconfig.ts';

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

function inFolder(files: Readonly<Record<string, object | string>>, env: Readonly<Record<string, string>> = {}) {
  const cwd = mkdtempSync(join(tmpdir(), 'muster-kubeconfig-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
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

describe('which kubeconfig', () => {
  test.each<[string, Readonly<Record<string, object>>, string | null, string, string]>([
    ['the one that is asked for', { a: config(A), [OWN]: config(B), c: config(C) }, 'a', A, 'a'],
    ['else the one of this folder', { [OWN]: config(B), c: config(C) }, null, B, OWN],
    ['else the one that KUBECONFIG names', { c: config(C) }, null, C, 'c'],
  ])('%s', (_, files, asked, server, file) => {
    expect(inFolder(files, { KUBECONFIG: 'c' })(asked)).toMatchObject({ server, file });
  });

  test('of several in KUBECONFIG the first that says something wins, and missing ones do not matter', () => {
    const only = { 'current-context': 'c' };
    const find = inFolder({ only, b: config(B), c: config(C) }, { KUBECONFIG: 'missing:only:b:c' });
    expect(find()).toMatchObject({ server: B, file: 'b' });
  });

  test('none at all: says where it looked and what to do', () => {
    expect(() => inFolder({})()).toThrow(
      /^error: no server is known: there is no \.muster\/kubeconfig here\nStart one with/,
    );
    expect(() => inFolder({}, { KUBECONFIG: 'x:y' })()).toThrow('nor what KUBECONFIG names (x, y)');
    expect(() => inFolder({})('nope')).toThrow('error: there is no kubeconfig nope');
  });

  test('namespace and token', () => {
    expect(
      inFolder({ a: config('https://m.example/prod/', { namespace: 'team', user: { token: 't' } }) })('a'),
    ).toEqual({
      server: 'https://m.example/prod',
      namespace: 'team',
      token: 't',
      file: 'a',
    });
    expect(inFolder({ a: config(A) })('a')).toMatchObject({ namespace: 'default', token: null });
  });
});

describe('what is refused', () => {
  test.each<[string, object | string, string]>([
    ['no YAML', 'a: [', 'a is no kubeconfig'],
    ['another document', '- 1', 'a is no kubeconfig'],
    ['nothing', '', 'has no current-context'],
    ['a context that is not there', { ...config(A), contexts: [] }, 'has no context "c"'],
    ['a cluster that is not there', { ...config(A), clusters: [] }, 'has no cluster "c"'],
    ['no address', config('nope'), 'names the server "nope", which is no http(s) address'],
    ['http to another machine', config('http://10.0.0.1:80'), 'plain http is spoken with this machine only'],
    ['http to a name that only begins like ours', config('http://localhost.evil.example'), 'plain http is spoken'],
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
