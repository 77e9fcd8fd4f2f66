import { asEpochMs } from '../../../../domain/base/time.ts';
import { createMemoryRows } from '../../../../adapters/rows/memory.ts';
import { createStore } from '../../../../store/create-store.ts';
import { FIELD, type Rows, type Write } from '../../../../store/rows/row.ts';
import { openNamespace } from '../../../../../test/support/a-namespace.ts';
import { createSealer } from '../../adapters/aes-sealer.ts';
import { sealedObjects } from '../../store/sealed-objects.ts';
import { aKey } from '../adapters/a-key.ts';

const NOW = asEpochMs(1_700_000_000_000);

/** A store with its Secrets open and as they are stored, and the text of everything that was ever written to its rows. */
export async function aSealedStore() {
  const written: string[] = [];
  const rows = createMemoryRows({ now: () => NOW });
  let tokens = 0;
  const store = createStore(noting(rows, written), { now: () => NOW, newToken: () => `token-${++tokens}-0000` });
  await openNamespace(store.objects, 'default', NOW);
  const { key, put, held } = aKey();
  const sealer = createSealer(key);
  return {
    stored: store.objects,
    open: sealedObjects(store.objects, { sealer }),
    sealer,
    written,
    putKey: put,
    heldKey: held,
  };
}

/** Whatever engine holds the rows, this is what it is given. */
function noting(rows: Rows, written: string[]): Rows {
  const note = (write: Write): void => {
    written.push(textOf(write));
  };
  return {
    get: async (keys) => rows.get(keys),
    range: async (range) => rows.range(range),
    async write(write) {
      note(write);
      return rows.write(write);
    },
    async transact(token, writes) {
      writes.forEach(note);
      return rows.transact(token, writes);
    },
    async batch(writes) {
      writes.forEach(note);
      return rows.batch(writes);
    },
    alarms: async (range) => rows.alarms(range),
    storedBytes: (body) => rows.storedBytes(body),
    pause: async (ms) => rows.pause(ms),
    atOnce: rows.atOnce,
  };
}

function textOf(write: Write): string {
  const fields = write.kind === 'put' ? write.fields : write.kind === 'update' ? write.set : {};
  const { [FIELD.body]: body, ...rest } = fields;
  return JSON.stringify([write.key, rest, body instanceof Uint8Array ? Buffer.from(body).toString('utf8') : '']);
}

export const KEY = { namespace: 'default', name: 'db' };

/** A Secret as it is admitted. */
export const aSecret = (password: string, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'db', namespace: 'default', uid: '0001', ...metadata },
  data: { password: Buffer.from(password).toString('base64') },
  type: 'Opaque',
});
