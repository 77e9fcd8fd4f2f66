import { expect, test } from 'vitest';
import { readUpstream } from '../../local/proxy/upstream.ts';

test.each<[server: string, region: string | null, read: object]>([
  [
    'https://a1b2c3.execute-api.eu-west-1.amazonaws.com/k8s/',
    null,
    {
      protocol: 'https:',
      hostname: 'a1b2c3.execute-api.eu-west-1.amazonaws.com',
      port: null,
      host: 'a1b2c3.execute-api.eu-west-1.amazonaws.com',
      prefix: '/k8s',
      region: 'eu-west-1',
    },
  ],
  ['https://a1b2c3.execute-api.cn-north-1.amazonaws.com.cn/k8s', null, { region: 'cn-north-1' }],
  ['https://a1b2c3-vpce-0f1e2d.execute-api.us-gov-west-1.amazonaws.com/k8s', null, { region: 'us-gov-west-1' }],
  ['https://a1b2c3.execute-api.eu-west-1.amazonaws.com/k8s', 'eu-west-1', { region: 'eu-west-1' }],
  [
    'https://muster.example:8443',
    'eu-west-1',
    { host: 'muster.example:8443', port: 8443, prefix: '', region: 'eu-west-1' },
  ],
  ['http://127.0.0.1:8000/k8s', 'eu-west-1', { protocol: 'http:', host: '127.0.0.1:8000', port: 8000 }],
  ['http://[::1]:8000/', 'eu-west-1', { hostname: '::1', host: '[::1]:8000' }],
])('%s (%s)', (server, region, upstream) => {
  expect(readUpstream(server, region)).toMatchObject({ kind: 'read', upstream });
});

test.each<[server: string, region: string | null, reason: string]>([
  ['a1b2c3.execute-api.eu-west-1.amazonaws.com', null, 'is not an address'],
  ['ftp://a1b2c3.execute-api.eu-west-1.amazonaws.com', null, 'is not an address'],
  ['http://a1b2c3.execute-api.eu-west-1.amazonaws.com/k8s', null, 'plain http is allowed only'],
  ['http://localhost.evil.example/', 'eu-west-1', 'plain http is allowed only'],
  ['https://execute-api.eu-west-1.amazonaws.com.evil.example/', null, 'does not include its Region'],
  ['https://ann@muster.example/', 'eu-west-1', 'only a host and a path'],
  ['https://muster.example/#k8s', 'eu-west-1', 'only a host and a path'],
  ['https://a1b2c3.execute-api.eu-west-1.amazonaws.com/k8s', 'us-east-1', 'the host is in eu-west-1'],
])('%s (%s) is refused', (server, region, reason) => {
  expect(readUpstream(server, region)).toMatchObject({
    kind: 'bad',
    reason: expect.stringContaining(reason) as string,
  });
});
