import { describe, expect, test } from 'vitest';
import { type TokenFault, readToken } from '../../../shared/domain/token/read-token.ts';
import { NOW_MS, REGION, aToken, tokenOf, urlIn } from '../../token/a-token.ts';
import { OPS } from '../../token/fake-sts.ts';

const token = await aToken();
const url = urlIn(token);
const read = (text: string, region = REGION, nowMs = NOW_MS) => readToken(text, { region, nowMs });

test('a token is read to the very address that is asked, and when it expires', async () => {
  expect(read(token)).toEqual({ kind: 'read', url, expiresMs: NOW_MS + 900_000 });
  const session = await aToken(OPS);
  expect(read(session)).toEqual({ kind: 'read', url: urlIn(session), expiresMs: NOW_MS + 900_000 });
  expect(urlIn(session)).toContain('X-Amz-Security-Token=FwoGZXIvYXdzE%2B%2F%2Fops%3D%3D');
});

test.each([
  ['of lower case', url.replace(/[A-Z][\w-]*(?==)/g, (name) => name.toLowerCase())],
  ['in another order', `https://sts.${REGION}.amazonaws.com/?${url.split('?')[1]!.split('&').toReversed().join('&')}`],
  ['and more signed headers', url.replace('host%3Bx-k8s-aws-id', 'accept%3Bhost%3BX-K8s-Aws-Id')],
])('parameters %s are a token as well', (_, text) => {
  expect(read(tokenOf(text))).toMatchObject({ kind: 'read', url: text });
});

test.each([
  ['eu-west-1', 'sts.amazonaws.com'],
  ['mx-central-1', 'sts.mx-central-1.amazonaws.com'],
  ['us-west-2', 'sts-fips.us-west-2.amazonaws.com'],
  ['cn-north-1', 'sts.cn-north-1.amazonaws.com.cn'],
  ['us-gov-west-1', 'sts.us-gov-west-1.amazonaws.com'],
  ['us-iso-east-1', 'sts.us-iso-east-1.c2s.ic.gov'],
])('in %s, %s is STS', (region, host) => {
  expect(read(tokenOf(url.replace(/sts\.[^/]+/, host)), region)).toMatchObject({ kind: 'read' });
});

test.each([
  ['eu-west-1', 'sts.us-east-1.amazonaws.com'],
  ['eu-west-1', 'sts.zz-evil-9.amazonaws.com'],
  ['us-east-1', 'sts-fips.us-west-2.amazonaws.com'],
  ['eu-west-1', 'sts-fips.eu-west-1.amazonaws.com'],
  ['cn-north-1', 'sts.cn-northwest-1.amazonaws.com.cn'],
  ['cn-north-1', 'sts.amazonaws.com'],
  ['us-gov-west-1', 'sts.us-gov-east-1.amazonaws.com'],
  ['us-gov-west-1', 'sts.amazonaws.com'],
])('in %s, %s is not asked: the sender would choose whom we wait for', (region, host) => {
  expect(read(tokenOf(url.replace(/sts\.[^/]+/, host)), region)).toEqual({ kind: 'refused', fault: 'host' });
});

const query = (change: (text: string) => string): string =>
  tokenOf(`${url.split('?')[0]}?${change(url.split('?')[1]!)}`);
const to = (base: string): string => tokenOf(url.replace(/^https:\/\/[^/]+\//, base));
const with_ = (name: string, value: string): string =>
  query((text) => text.replace(new RegExp(`(${name}=)[^&]*`), (_, key: string) => key + value));

describe('refused', () => {
  test.each<[TokenFault, string]>([
    ['length', token + 'A'.repeat(4_097 - token.length)],
    ['prefix', ''],
    ['prefix', token.slice(1)],
    ['prefix', ` ${token}`],
    ['prefix', token.replace('v1', 'v2')],
    ['prefix', token.toUpperCase()],
    ['encoding', 'k8s-aws-v1.'],
    ['encoding', `${token}=`],
    ['encoding', `${token}\r\n`],
    ['encoding', `${token.slice(0, -4)}+/+/`],
    ['encoding', `k8s-aws-v1.${'A'.repeat(5)}`],
    ['address', tokenOf('x')],
    ['address', tokenOf(`${url}\r\nx-evil: 1`)],
    ['address', tokenOf(`${url}#`)],
    ['address', tokenOf(`${url}&X=\u00e9`)],
    ['address', tokenOf(url.replace('?', '?\0'))],
    ['path', tokenOf(url.replace('?', '\0?'))],
    ['scheme', tokenOf(url.replace('https', 'http'))],
    ['scheme', tokenOf(url.replace('https', 'HTTPS'))],
    ['scheme', tokenOf(url.replace('https', 'file'))],
    ['host', to('https://example.org/')],
    ['host', to('https://169.254.169.254/')],
    ['host', to('https://sts.eu-west-1.amazonaws.com:443/')],
    ['host', to('https://sts.eu-west-1.amazonaws.com:8443/')],
    ['host', to('https://sts.eu-west-1.amazonaws.com@example.org/')],
    ['host', to('https://me:pw@sts.eu-west-1.amazonaws.com/')],
    ['host', to('https://example.org\\@sts.eu-west-1.amazonaws.com/')],
    ['host', to('https://STS.eu-west-1.amazonaws.com/')],
    ['host', to('https://sts.eu-west-1.amazonaws.com./')],
    ['host', to('https://sts.eu-west-1.amazonaws.com.example.org/')],
    ['host', to('https://evil.sts.eu-west-1.amazonaws.com/')],
    ['host', to('https://sts.evil.amazonaws.com/')],
    ['host', to('https://s3.eu-west-1.amazonaws.com/')],
    ['host', to('https://sts.cn-north-1.amazonaws.com.cn/')],
    ['host', to('https://sts.us-gov-west-1.amazonaws.com/')],
    ['host', to('https://%73ts.amazonaws.com/')],
    ['path', to('https://sts.eu-west-1.amazonaws.com//')],
    ['path', to('https://sts.eu-west-1.amazonaws.com/%2F')],
    ['path', to('https://sts.eu-west-1.amazonaws.com/../')],
    ['path', to('https://sts.eu-west-1.amazonaws.com/latest/meta-data')],
    ['path', to('https://sts.eu-west-1.amazonaws.com')],
    ['query', query((text) => text.replaceAll('%3B', ';'))],
    ['query', query((text) => `${text}&X-Amz-Date=%`)],
    ['query', query((text) => text.replace('Action=', 'Action=='))],
    ['query', query((text) => text.replaceAll('&', '&"'))],
    ['parameter', query(() => '')],
    ['parameter', query((text) => `${text}&`)],
    ['parameter', query((text) => `${text}&RoleArn=x`)],
    ['parameter', query((text) => text.replace('Action', '+Action'))],
    ['duplicate', query((text) => `${text}&Action=GetCallerIdentity`)],
    ['duplicate', query((text) => `Action=GetCallerIdentity&${text.replace('GetCallerIdentity', 'AssumeRole')}`)],
    ['duplicate', query((text) => `${text}&aCtion=AssumeRole`)],
    ['duplicate', query((text) => `${text}&%41ction=AssumeRole`)],
    ['action', with_('Action', 'AssumeRole')],
    ['action', with_('Action', 'getcalleridentity')],
    ['action', query((text) => text.replace('Action=GetCallerIdentity&', ''))],
    ['signedHeaders', with_('X-Amz-SignedHeaders', 'host')],
    ['signedHeaders', with_('X-Amz-SignedHeaders', 'host%3Bx-k8s-aws-idx')],
    ['expires', with_('X-Amz-Expires', '901')],
    ['expires', with_('X-Amz-Expires', '-1')],
    ['expires', with_('X-Amz-Expires', '1e2')],
    ['expires', with_('X-Amz-Expires', '')],
    ['date', with_('X-Amz-Date', '')],
    ['date', with_('X-Amz-Date', '2026-11-25T15:08:46Z')],
    ['date', with_('X-Amz-Date', '20261131T150846Z')],
    ['date', with_('X-Amz-Date', '20261125T250846Z')],
    ['expired', with_('X-Amz-Date', '20261125T145346Z')],
    ['future', with_('X-Amz-Date', '20261125T151347Z')],
  ])('%s: %s', (fault, text) => {
    expect(read(text)).toEqual({ kind: 'refused', fault });
  });

  test('at the limits it is not', () => {
    for (const text of [
      with_('X-Amz-Expires', '900'),
      with_('X-Amz-Expires', '0'),
      with_('X-Amz-Date', '20261125T145347Z'),
      with_('X-Amz-Date', '20261125T151346Z'),
    ])
      expect(read(text)).toMatchObject({ kind: 'read' });
  });
});
