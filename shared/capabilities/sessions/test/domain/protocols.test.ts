import { expect, test } from 'vitest';
import { chooseProtocol, hasCloseSignal, hasStatus, isBase64, tokenIn } from '../../domain/protocols.ts';

const NONE = { upgrade: undefined, subprotocols: undefined, versions: undefined };
const websocket = (subprotocols?: string) => ({ ...NONE, upgrade: 'WebSocket', subprotocols });
const spdy = (versions?: string) => ({ ...NONE, upgrade: 'SPDY/3.1', versions });
const protocol = (name: string, over: string) => ({ kind: 'protocol', protocol: { name, over } });

test('the first subprotocol that the client names and that is served is taken', () => {
  expect(chooseProtocol('streams', websocket('v9.channel.k8s.io, v4.channel.k8s.io,v5.channel.k8s.io'))).toEqual(
    protocol('v4.channel.k8s.io', 'websocket'),
  );
  expect(chooseProtocol('streams', websocket('v5.channel.k8s.io'))).toEqual(protocol('v5.channel.k8s.io', 'websocket'));
  expect(chooseProtocol('streams', websocket())).toEqual(protocol('', 'websocket'));
});

test('a client whose protocols are all unknown hears which are served', () => {
  expect(chooseProtocol('streams', websocket('v9.channel.k8s.io'))).toMatchObject({
    kind: 'unknown',
    offered: ['v9.channel.k8s.io'],
  });
  expect(chooseProtocol('portForward', spdy('v4.channel.k8s.io'))).toEqual({
    kind: 'unknown',
    offered: ['v4.channel.k8s.io'],
    served: ['portforward.k8s.io'],
  });
});

test('ports go through a tunnel where the client has one, and streams do not', () => {
  expect(chooseProtocol('portForward', websocket('SPDY/3.1+portforward.k8s.io'))).toEqual(
    protocol('SPDY/3.1+portforward.k8s.io', 'tunnel'),
  );
  expect(chooseProtocol('streams', websocket('SPDY/3.1+portforward.k8s.io'))).toMatchObject({ kind: 'unknown' });
});

test('SPDY has versions in a header of its own, and other upgrades are none', () => {
  expect(chooseProtocol('streams', spdy('v4.channel.k8s.io, v3.channel.k8s.io'))).toEqual(
    protocol('v4.channel.k8s.io', 'spdy'),
  );
  expect(chooseProtocol('streams', { ...NONE, upgrade: 'h2c' })).toEqual({ kind: 'plain' });
  expect(chooseProtocol('streams', NONE)).toEqual({ kind: 'plain' });
});

test.each([
  ['v5.channel.k8s.io', true, false, true],
  ['v4.channel.k8s.io', true, false, false],
  ['v4.base64.channel.k8s.io', true, true, false],
  ['base64.channel.k8s.io', false, true, false],
  ['v3.channel.k8s.io', false, false, false],
  ['', false, false, false],
])('%s: a Status at the end %s, base64 %s, an end of the input %s', (name, status, base64, close) => {
  const over = 'websocket' as const;
  expect([hasStatus({ name, over }), isBase64({ name, over }), hasCloseSignal({ name, over })]).toEqual([
    status,
    base64,
    close,
  ]);
});

test('a token among the subprotocols is taken out of them, if it is the only one and not alone', () => {
  const token = 'base64url.bearer.authorization.k8s.io.c2VjcmV0';
  expect(tokenIn(`${token}, v4.channel.k8s.io`)).toEqual({ encoded: 'c2VjcmV0', others: 'v4.channel.k8s.io' });
  expect(tokenIn(token)).toBeNull();
  expect(tokenIn(`${token},${token},v4.channel.k8s.io`)).toBeNull();
  expect(tokenIn('base64url.bearer.authorization.k8s.io.a=, v4.channel.k8s.io')).toBeNull();
  expect(tokenIn('v4.channel.k8s.io')).toBeNull();
});
