import { expect, test } from 'vitest';
import { decodeProtobuf } from '../../../../schema/protobuf/decode-protobuf.ts';
import { aWorld } from '../../../../../test/kube/a-world.ts';
import { send } from '../../../../../test/kube/write/a-client.ts';
import { encodeProtobuf } from '../../../../../test/schema/protobuf/encode-protobuf.ts';

// The forms in which a WorkList is sent.

test('a custom resource: duplicates first, also of what is unknown', async () => {
  const world = await aWorld();
  const text =
    '{"apiVersion":"muster.run/v1","kind":"WorkList","metadata":{"name":"w","z":1},"spec":{"b":1,"items":["x"],"b":2,"a":1,"items":["y"]}}';
  const path = '/apis/muster.run/v1/namespaces/default/worklists?fieldValidation=Strict';
  expect((await send(world, 'POST', path, text)).body.message).toMatch(
    /strict decoding error: duplicate field "spec\.b", duplicate field "spec\.items", unknown field "metadata\.z", unknown field "spec\.a", unknown field "spec\.b"$/,
  );
});

test('a WorkList is read from JSON only', () => {
  const body = encodeProtobuf({ apiVersion: 'muster.run/v1', kind: 'WorkList', spec: { range: '1-3' } });
  expect(decodeProtobuf(body)).toEqual({
    kind: 'unreadable',
    reason: 'protobuf parse error: a WorkList has no form in protobuf: send JSON',
  });
});
