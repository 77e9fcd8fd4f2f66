import { expect, test } from 'vitest';
import { pullCredentialsOf, registryOf } from '../../../shared/domain/task/pull-secrets.ts';

/** Secrets with these registries, each in the order in which a Pod names them; null: it is not stored. */
type Secrets = Readonly<Record<string, readonly string[] | null>>;

/** `<Secret> <registry>`, `<Secret> by hand`, or null. */
function chosen(image: string, secrets: Secrets): string | null {
  const pulls = new Map(
    Object.entries(secrets).flatMap(([name, registries]) =>
      registries === null ? [] : [[name, { version: 'v', registries: registries.map(registryOf) }] as const],
    ),
  );
  const imagePullSecrets = Object.keys(secrets).map((name) => ({ name }));
  const found = pullCredentialsOf(image, { imagePullSecrets }, pulls);
  return found === null ? null : `${found.name} ${found.stored?.registry ?? 'by hand'}`;
}

test.each<[what: string, image: string, secrets: Secrets, chosen: string | null]>([
  ['no Secrets', 'busybox', {}, null],
  ['the host', 'ghcr.io/team/tool:1', { a: ['ghcr.io'] }, 'a ghcr.io'],
  ['a scheme', 'ghcr.io/team/tool:1', { a: ['https://ghcr.io'] }, 'a ghcr.io'],
  ['a version of the API', 'ghcr.io/team/tool:1', { a: ['http://ghcr.io/v2/'] }, 'a ghcr.io'],
  ['a digest', 'ghcr.io/team/tool:1@sha256:de6e', { a: ['ghcr.io/team/tool'] }, 'a ghcr.io/team/tool'],
  ['another host', 'ghcr.io/team/tool:1', { a: ['quay.io'] }, null],
  ['a host that ends alike', 'ghcr.io.example.com/tool', { a: ['ghcr.io'] }, null],
  ['a port', '127.0.0.1:5002/tool:1', { a: ['127.0.0.1', '127.0.0.1:5001', '127.0.0.1:5002'] }, 'a 127.0.0.1:5002'],
  ['a port that the image does not name', 'example.com/tool', { a: ['example.com:443'] }, null],
  ['localhost', 'localhost/tool', { a: ['localhost'] }, 'a localhost'],
  ['a path', 'quay.io/coreos/etcd', { a: ['quay.io/coreos'] }, 'a quay.io/coreos'],
  ['the beginning of a path', 'quay.io/coreos/etcd', { a: ['quay.io/core'] }, 'a quay.io/core'],
  ['another path', 'quay.io/coreos/etcd', { a: ['quay.io/team'] }, null],
  ['the longer path first', 'quay.io/coreos/etcd', { a: ['quay.io'], b: ['quay.io/coreos'] }, 'b quay.io/coreos'],
  ['the first Secret of two', 'quay.io/coreos/etcd', { b: ['quay.io'], a: ['quay.io'] }, 'b quay.io'],
  ['Docker Hub, as docker login names it', 'busybox', { a: ['https://index.docker.io/v1/'] }, 'a index.docker.io'],
  ['its image of a user', 'team/tool:1', { a: ['https://index.docker.io/v1/'] }, 'a index.docker.io'],
  ['its own name', 'docker.io/team/tool', { a: ['index.docker.io'] }, 'a index.docker.io'],
  ['its older name', 'index.docker.io/team/tool', { a: ['docker.io'] }, 'a docker.io'],
  ['docker.io', 'busybox:1.36', { a: ['docker.io'] }, 'a docker.io'],
  [
    'docker.io before the name of docker login',
    'busybox',
    { a: ['https://index.docker.io/v1/'], b: ['docker.io'] },
    'b docker.io',
  ],
  ['images of everybody', 'busybox', { a: ['docker.io/library'] }, 'a docker.io/library'],
  ['a user of Docker Hub', 'team/tool', { a: ['docker.io/other', 'docker.io/team'] }, 'a docker.io/team'],
  ['Docker Hub is no other registry', 'ghcr.io/team/tool', { a: ['https://index.docker.io/v1/', 'docker.io'] }, null],
  ['any part of a host', 'a.example.com/tool', { a: ['*.example.com'] }, 'a *.example.com'],
  ['a part, not several', 'a.b.example.com/tool', { a: ['*.example.com'] }, null],
  ['the end of a part', 'app1.example.com/tool', { a: ['app*.example.com'] }, 'a app*.example.com'],
  ['several wildcards', 'xaybzc.example.com/tool', { a: ['*a*b*c.example.com'] }, 'a *a*b*c.example.com'],
  ['a question mark, at which a URL ends', 'r1.example.com/tool', { a: ['r?.example.com'] }, null],
  ['a class', 'r2.example.com/tool', { a: ['r[1-3].example.com'] }, 'a r[1-3].example.com'],
  ['what a class leaves out', 'r2.example.com/tool', { a: ['r[^1-3].example.com'] }, null],
  ['a class without end', 'r2.example.com/tool', { a: ['r[.example.com'] }, null],
  ['a name before a wildcard', 'a.example.com/tool', { a: ['*.example.com'], b: ['a.example.com'] }, 'b a.example.com'],
  ['a wildcard with a path', 'a.example.com/team/tool', { a: ['*.example.com/team'] }, 'a *.example.com/team'],
  ['a wildcard in a path', 'a.example.com/team/tool', { a: ['a.example.com/*'] }, null],
  ['an address of six', '[::1]:5000/tool', { a: ['[::1]:5000'] }, 'a [::1]:5000'],
  ['a Secret without entries', 'busybox', { a: [] }, null],
  ['a Secret that is not stored', 'busybox', { a: null }, 'a by hand'],
  ['the first of those', 'busybox', { a: ['ghcr.io'], b: null, c: null }, 'b by hand'],
  ['what is stored before what is not', 'ghcr.io/tool', { b: null, a: ['ghcr.io'] }, 'a ghcr.io'],
])('an image is pulled with the credentials that say most of it: %s', (_, image, secrets, expected) => {
  expect(chosen(image, secrets)).toBe(expected);
});

test('an image is pulled with one of the credentials that the kubelet would try', () => {
  const secrets = { a: ['ghcr.io', 'ghcr.io/team'], b: ['ghcr.io/team', 'ghcr.io/team/tool'] };
  expect(chosen('ghcr.io/team/other', secrets)).toBe('a ghcr.io/team');
});

// One that tried every way to match would not end.
test('a pattern costs no more than its length, whatever it is', () => {
  const registry = `${'*a'.repeat(5_000)}.example.com`;
  expect(chosen(`${'a'.repeat(200)}b.example.com/tool`, { a: [registry] })).toBeNull();
});
