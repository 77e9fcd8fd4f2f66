import { expect, test } from 'vitest';
import { loginsOf } from '../../schema/docker-config.ts';

const JSON_TYPE = 'kubernetes.io/dockerconfigjson';
const CFG_TYPE = 'kubernetes.io/dockercfg';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const read = (type: string, key: string, content: unknown): unknown => {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const found = loginsOf(type, new Map([[key, new TextEncoder().encode(text)]]));
  return found === null ? null : Object.fromEntries(found);
};
const auths = (entries: unknown): unknown => read(JSON_TYPE, '.dockerconfigjson', { auths: entries });

const KIM = { username: 'kim', password: 's3:cret' };

test.each<[what: string, read: unknown, expected: unknown]>([
  [
    'what kubectl makes',
    auths({ 'ghcr.io': { ...KIM, email: 'k@example.com', auth: base64('kim:s3:cret') } }),
    { 'ghcr.io': KIM },
  ],
  ['a user and a password', auths({ 'ghcr.io': KIM }), { 'ghcr.io': KIM }],
  ['auth alone', auths({ 'ghcr.io': { auth: base64('kim:s3:cret') } }), { 'ghcr.io': KIM }],
  [
    'auth without padding',
    auths({ 'ghcr.io': { auth: base64('kim:s3:cret').replace(/=+$/, '') } }),
    { 'ghcr.io': KIM },
  ],
  ['auth before the others', auths({ r: { username: 'a', password: 'b', auth: base64('kim:s3:cret') } }), { r: KIM }],
  ['empty auth', auths({ 'ghcr.io': { ...KIM, auth: '' } }), { 'ghcr.io': KIM }],
  ['Docker Hub', auths({ 'https://index.docker.io/v1/': KIM }), { 'index.docker.io': KIM }],
  ['two of one registry: the first', auths({ r: KIM, 'https://r': { username: 'a', password: 'b' } }), { r: KIM }],
  ['the old form', read(CFG_TYPE, '.dockercfg', { 'ghcr.io': KIM }), { 'ghcr.io': KIM }],
  ['the old form in the new type', read(JSON_TYPE, '.dockerconfigjson', { 'ghcr.io': KIM }), {}],
  ['another type', read('Opaque', '.dockerconfigjson', { auths: { 'ghcr.io': KIM } }), {}],
  ['a token, which neither the kubelet nor ECS takes', auths({ r: { identitytoken: 't' } }), {}],
  ['no password', auths({ r: { username: 'kim' } }), {}],
  ['nothing of a registry', auths({ r: null, s: {} }), {}],
  ['no registries', read(JSON_TYPE, '.dockerconfigjson', {}), {}],
  ['null', read(JSON_TYPE, '.dockerconfigjson', 'null'), {}],
  ['an empty text', read(JSON_TYPE, '.dockerconfigjson', ''), {}],
  ['no JSON', read(JSON_TYPE, '.dockerconfigjson', '{'), null],
  ['a list', auths([KIM]), null],
  ['a number as password', auths({ r: { username: 'kim', password: 1 } }), null],
  ['auth that is no base64', auths({ r: { auth: 'kim:s3cret' } }), null],
  ['auth without a colon', auths({ r: { auth: base64('kim') } }), null],
])('users of registries: %s', (_, found, expected) => {
  expect(found).toEqual(expected);
});
