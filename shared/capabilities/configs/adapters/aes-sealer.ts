import { createHash, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { EXTRA_BYTES, KEY_BYTES, openBytes, sealBytes } from '../../../adapters/aes-gcm.ts';
import { type SealedFor, type Sealer, SealError } from '../ports/sealer.ts';
import type { SecretsKey } from '../ports/secrets-key.ts';

const zip = promisify(gzip);
const unzip = promisify(gunzip);

/** What is sealed begins with these: its form, and which key it was sealed with. */
const VERSION = 1;
const ID_BYTES = 4;
const HEAD_BYTES = 1 + ID_BYTES;
/** Far above any object; what is damaged must not fill the memory. */
const PLAIN_BYTES_MAX = 64 * 1024 * 1024;

type Key = { readonly bytes: Uint8Array; readonly id: Uint8Array };

/**
 * Seals after compression. Bytes: version (1), id of the key (4), and what {@link sealBytes} makes. The first two, and whose it is,
 * are authenticated with it.
 *
 * The key is asked for when something is sealed or opened for the first time, and kept. Only what seals makes one: a key that is
 * gone is not replaced by one that opens nothing.
 */
export function createSealer(secretsKey: SecretsKey): Sealer {
  let known: Key | null = null;
  let reading: Promise<Key> | null = null;
  /** A list opens many at once. */
  const readOnce = async (): Promise<Key> => {
    const asked = (reading ??= readKey(secretsKey));
    try {
      return await asked;
    } finally {
      if (reading === asked) reading = null;
    }
  };
  return {
    async seal(plain, of) {
      const key = (known ??= await readOrMake(secretsKey));
      const head = Buffer.concat([Buffer.of(VERSION), key.id]);
      return Buffer.concat([head, sealBytes(await zip(plain), key.bytes, aboutOf(head, of))]);
    },
    async open(sealed, of) {
      const key = (known ??= await readOnce());
      const fault = faultOf(sealed, key, secretsKey);
      if (fault !== null) throw new SealError(fault);
      try {
        const about = aboutOf(sealed.subarray(0, HEAD_BYTES), of);
        const zipped = openBytes(sealed.subarray(HEAD_BYTES), key.bytes, about);
        return await unzip(zipped, { maxOutputLength: PLAIN_BYTES_MAX });
      } catch {
        throw new SealError("what is stored was altered, or is another object's");
      }
    },
  };
}

const aboutOf = (head: Uint8Array, { kind, namespace, name, uid }: SealedFor): Uint8Array =>
  Buffer.concat([head, Buffer.from(JSON.stringify([kind, namespace, name, uid]))]);

/** Why this key does not open it; null: it may. */
function faultOf(sealed: Uint8Array, key: Key, { place }: SecretsKey): string | null {
  if (sealed.length < HEAD_BYTES + EXTRA_BYTES) return 'what is stored is too short';
  if (sealed[0] !== VERSION) return `its form ${sealed[0]} is that of a later release of Muster`;
  const id = sealed.subarray(1, HEAD_BYTES);
  return Buffer.compare(id, key.id) === 0
    ? null
    : `it was sealed with the key ${hex(id)}, and ${place} holds the key ${hex(key.id)}`;
}

const hex = (id: Uint8Array): string => Buffer.from(id).toString('hex');

async function readKey(secretsKey: SecretsKey): Promise<Key> {
  const text = await secretsKey.read();
  if (text !== null) return keyIn(text, secretsKey);
  const { place } = secretsKey;
  throw new SealError(`there is no key: no ${place}`);
}

/** Of those who make it at once, all get the same: that which is there afterwards. */
async function readOrMake(secretsKey: SecretsKey): Promise<Key> {
  const there = await secretsKey.read();
  if (there !== null) return keyIn(there, secretsKey);
  await secretsKey.make(randomBytes(KEY_BYTES).toString('base64'));
  const made = await secretsKey.read();
  if (made === null) throw new SealError(`${secretsKey.place} was made, and is not there`);
  return keyIn(made, secretsKey);
}

function keyIn(text: string, { place }: SecretsKey): Key {
  const bytes = Buffer.from(text.trim(), 'base64');
  if (bytes.length !== KEY_BYTES || bytes.toString('base64') !== text.trim())
    throw new SealError(`${place} holds no key: it must be ${KEY_BYTES} bytes in base64`);
  return { bytes, id: createHash('sha256').update('muster secrets key ').update(bytes).digest().subarray(0, ID_BYTES) };
}
