import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import { KEY_BYTES, openBytes, sealBytes } from '../../shared/adapters/aes-gcm.ts';
import { escapeName, unescapeName } from '../logs/stream-files.ts';
import { readOwn, writeWhole } from '../whole-file.ts';

/** Which stored Secret. */
export type SecretKey = { readonly namespace: string; readonly name: string };

/** What Secrets Manager is to Fargate: versions of stored Secrets, as tasks read them when they start. */
export type SecretCopies = {
  /** The values of a version by key, as they were put; null: there is no such version, or it cannot be opened. */
  read(secret: SecretKey, version: string): ReadonlyMap<string, string> | null;
  /** Keeps a version. One that is there already stays as it is. */
  put(secret: SecretKey, version: string, values: ReadonlyMap<string, string>): void;
  /** Removes all versions. */
  remove(secret: SecretKey): void;
  /** The Secrets of which there is a version. */
  list(): readonly SecretKey[];
};

/** Copies that end with this process. */
export function memorySecretCopies(): SecretCopies {
  const secrets = new Map<string, Map<string, ReadonlyMap<string, string>>>();
  const nameOf = ({ namespace, name }: SecretKey): string => `${namespace}/${name}`;
  return {
    list: () =>
      [...secrets.keys()].map((id) => {
        const [namespace = '', name = ''] = id.split('/');
        return { namespace, name };
      }),
    read: (secret, version) => secrets.get(nameOf(secret))?.get(version) ?? null,
    put(secret, version, values) {
      const versions = secrets.get(nameOf(secret)) ?? new Map<string, ReadonlyMap<string, string>>();
      secrets.set(nameOf(secret), versions);
      if (!versions.has(version)) versions.set(version, new Map(values));
    },
    remove: (secret) => void secrets.delete(nameOf(secret)),
  };
}

/** The folder of copies below the data folder. */
export const SECRET_COPIES = 'secret-copies';

/** The file of their key, beside it: without it they are worth nothing. */
const KEY_FILE = 'secret-copies.key';

/**
 * Copies in files `<data folder>/secret-copies/<namespace>/<name>/<version>`, sealed with a key of the data folder, so that neither a
 * search in it nor a copy of a part of it shows a value.
 */
export function openSecretCopies(dataDir: string): SecretCopies {
  const folderOf = ({ namespace, name }: SecretKey): string =>
    join(dataDir, SECRET_COPIES, escapeName(namespace), escapeName(name));
  const fileOf = (secret: SecretKey, version: string): string => join(folderOf(secret), escapeName(version));
  const read: SecretCopies['read'] = (secret, version) => {
    try {
      const sealed = readFileSync(fileOf(secret, version));
      return open(sealed, keyIn(dataDir), nameOf(secret, version));
    } catch {
      return null;
    }
  };
  return {
    read,
    put(secret, version, values) {
      if (read(secret, version) !== null) return;
      const file = fileOf(secret, version);
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeWhole(file, seal(values, madeKeyIn(dataDir), nameOf(secret, version)), 'durable');
      removeOldest(dirname(file));
    },
    remove: (secret) => rmSync(folderOf(secret), { recursive: true, force: true }),
    list: () =>
      namesIn(join(dataDir, SECRET_COPIES)).flatMap((namespace) =>
        namesIn(join(dataDir, SECRET_COPIES, escapeName(namespace))).map((name) => ({ namespace, name })),
      ),
  };
}

/** Secrets Manager keeps about as many that nobody has marked (user guide, "Secret versions"). */
const VERSIONS_MAX = 100;

/** A task reads a version within minutes after it was put there. */
function removeOldest(folder: string): void {
  const files = readdirSync(folder).map((name) => join(folder, name));
  if (files.length <= VERSIONS_MAX) return;
  const byAge = files.map((file) => ({ file, atMs: statSync(file).mtimeMs })).toSorted((a, b) => a.atMs - b.atMs);
  for (const { file } of byAge.slice(0, files.length - VERSIONS_MAX)) rmSync(file, { force: true });
}

/** What a folder has, by its names before they were escaped; nothing if there is no such folder. */
const namesIn = (folder: string): readonly string[] =>
  existsSync(folder) ? readdirSync(folder).flatMap((file) => unescapeName(file) ?? []) : [];

/** What is sealed with a copy: it cannot be passed off as another. */
const nameOf = ({ namespace, name }: SecretKey, version: string): Buffer =>
  Buffer.from(JSON.stringify([namespace, name, version]));

const ValuesSchema = z.array(z.tuple([z.string(), z.string()]));

/** The first byte says how a copy is sealed. */
const FORM = 1;

/** Pure but for its random start value. */
function seal(values: ReadonlyMap<string, string>, key: Buffer, name: Buffer): Buffer {
  return Buffer.concat([Buffer.of(FORM), sealBytes(gzipSync(JSON.stringify([...values])), key, name)]);
}

/** Pure. Throws for what {@link seal} has not made with this key and name. */
function open(sealed: Buffer, key: Buffer, name: Buffer): ReadonlyMap<string, string> {
  if (sealed[0] !== FORM) throw new Error('the copy of a Secret is of another form');
  const text = gunzipSync(openBytes(sealed.subarray(1), key, name));
  return new Map(ValuesSchema.parse(JSON.parse(text.toString())));
}

/** Throws if there is none. */
function keyIn(dataDir: string): Buffer {
  const key = Buffer.from(readOwn(join(dataDir, KEY_FILE)), 'base64');
  if (key.length !== KEY_BYTES) throw new Error(`${join(dataDir, KEY_FILE)} holds no key of ${KEY_BYTES} bytes`);
  return key;
}

/** The same; the first time, it is made. The process that makes it holds the lock of the data folder. */
function madeKeyIn(dataDir: string): Buffer {
  const file = join(dataDir, KEY_FILE);
  if (!existsSync(file)) writeWhole(file, `${randomBytes(KEY_BYTES).toString('base64')}\n`, 'durable');
  return keyIn(dataDir);
}
