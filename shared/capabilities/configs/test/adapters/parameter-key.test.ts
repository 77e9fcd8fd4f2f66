import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { serveAwsJson } from '../../../../../local/wire/aws-json.ts';
import { listenOnLoopback } from '../../../../../local/wire/loopback-server.ts';
import { musterTemplate } from '../../../../../test/cdk/template.ts';
import { parameterStore } from '../../../../../test/fakes/parameter-store.ts';
import { checkWire } from '../../../../../test/models/wire-check.ts';
import { type NeededRight, missingTypes } from '../../../../../test/rights/needed-rights.ts';
import { allowing, statementsOf } from '../../../../../test/rights/statements.ts';
import { onAskedRights } from '../../../../../test/rights/asked-rights.ts';
import { openSealer } from '../../adapters/index.ts';
import { createSsmClient, parameterKey } from '../../adapters/parameter-key.ts';

// The SDK's own requests, over HTTP, to a server that answers as Parameter Store does.

const NAME = '/muster/secrets-key';
const { service, held, puts, gets, state } = parameterStore();
const front = await listenOnLoopback(serveAwsJson([service]));
const at = (endpoint: string | null) => ({ region: 'us-east-1', endpoint });
const client = createSsmClient(at(front.url));
const faults: string[] = [];
checkWire(client, 'both', (fault) => faults.push(fault));
const key = parameterKey(client, NAME);

beforeEach(() => {
  held.clear();
  puts.length = 0;
  gets.length = 0;
  state.isDown = false;
});
afterAll(async () => {
  client.destroy();
  await front.close();
});

test('there is none before it is made: as a SecureString, which nobody overwrites', async () => {
  expect(await key.read()).toBeNull();
  await key.make('one');
  expect(await key.read()).toBe('one');
  expect(puts).toMatchObject([{ Name: NAME, Value: 'one', Type: 'SecureString', Overwrite: false }]);
  expect(gets.every((each) => each.WithDecryption)).toBe(true);
});

test('who comes second takes the first one’s', async () => {
  await key.make('one');
  await key.make('other');
  expect(await key.read()).toBe('one');
});

test('another failure is no answer', async () => {
  state.isDown = true;
  await expect(key.read()).rejects.toThrow('down');
  expect(key.place).toBe('parameter /muster/secrets-key of Parameter Store');
});

describe('a function', () => {
  const OF = { kind: 'Secret', namespace: 'team', name: 'db', uid: '1' };
  const PLACES = {
    announcements: { eventBus: null, taskTokens: false, endpoint: null },
    parameters: front.url,
    secrets: null,
  };

  test('asks nothing before the first Secret, and then once', async () => {
    const opened = openSealer(PLACES, { at, onClient: undefined, telemetry: { warn: () => undefined } });
    expect([gets.length, puts.length]).toEqual([0, 0]);
    const { sealer } = opened.ports;
    const sealed = await sealer?.seal(Buffer.from('x'), OF);
    if (sealed !== undefined) await sealer?.open(sealed, OF);
    expect([gets.length, puts.length]).toEqual([2, 1]);
    opened.close();
  });

  test('may do what it asks, by the template', async () => {
    const asked: NeededRight[] = [];
    const opened = openSealer(PLACES, {
      at,
      telemetry: { warn: () => undefined },
      onClient: (each) => onAskedRights(each, (rights) => void asked.push(...rights)),
    });
    await opened.ports.sealer?.seal(Buffer.from('x'), OF);
    opened.close();
    const statements = statementsOf(musterTemplate({ submissions: 'true' }), new Map());
    expect(new Set(asked.map(({ action }) => action))).toEqual(new Set(['ssm:GetParameter', 'ssm:PutParameter']));
    for (const right of asked) {
      expect(await missingTypes(right)).toEqual([]);
      expect([right, allowing(statements.api, right) !== null]).toEqual([right, true]);
      const isRead = right.action === 'ssm:GetParameter';
      expect([right, allowing(statements.dispatch, right) !== null]).toEqual([right, isRead]);
      for (const name of ['reconcile', 'sweep'] as const) expect(allowing(statements[name], right)).toBeNull();
    }
  });
});

test('all of these are requests and answers of Parameter Store’s, by its model', () => {
  expect(faults).toEqual([]);
});
