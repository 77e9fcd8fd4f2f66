import { readFileSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { aTemporaryFolder } from '../../support/a-temporary-folder.ts';
import { readSecrets } from '../../../local/ecs/driver/secret-files.ts';
import { type SecretCopies, memorySecretCopies, openSecretCopies } from '../../../local/ecs/secret-copies.ts';
import { objectReference } from '../../../shared/names/secrets.ts';

let dir: string;
beforeEach(() => {
  dir = aTemporaryFolder('muster-copies-');
});

const DB = { namespace: 'default', name: 'db.example' };
const VALUES = new Map([
  ['password', 'correct horse'],
  ['__proto__', 'é\n'],
]);

describe.each<[string, () => SecretCopies]>([
  ['in files', () => openSecretCopies(dir)],
  ['in memory', memorySecretCopies],
])('copies %s', (_, make) => {
  test('are read as they were put, by version', () => {
    const copies = make();
    expect(copies.read(DB, '1')).toBeNull();
    copies.put(DB, '1', VALUES);
    copies.put(DB, '2', new Map());
    expect(copies.read(DB, '1')).toEqual(VALUES);
    expect(copies.read(DB, '2')).toEqual(new Map());
    expect(copies.read({ ...DB, namespace: 'other' }, '1')).toBeNull();
  });

  test('stay as they were first put, until they are removed', () => {
    const copies = make();
    copies.put(DB, '1', VALUES);
    copies.put(DB, '1', new Map([['password', 'other']]));
    expect(copies.read(DB, '1')).toEqual(VALUES);
    copies.remove(DB);
    copies.remove(DB);
    expect(copies.read(DB, '1')).toBeNull();
  });
});

describe('copies in files', () => {
  const file = (version: string): string => join(dir, 'secret-copies/default/db%2Eexample', version);

  test('outlive their process, and show nothing to who has no key', () => {
    openSecretCopies(dir).put(DB, '1', VALUES);
    expect(openSecretCopies(dir).read(DB, '1')).toEqual(VALUES);
    expect(readFileSync(file('1')).includes('correct horse')).toBe(false);
    for (const path of [file('1'), join(dir, 'secret-copies.key')]) expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(dir, 'secret-copies')).mode & 0o777).toBe(0o700);
    rmSync(join(dir, 'secret-copies.key'));
    expect(openSecretCopies(dir).read(DB, '1')).toBeNull();
    // With the key of another folder, they are put anew.
    openSecretCopies(dir).put(DB, '1', new Map([['a', 'b']]));
    expect(openSecretCopies(dir).read(DB, '1')).toEqual(new Map([['a', 'b']]));
  });

  test('cannot be passed off as another, or be changed', () => {
    const copies = openSecretCopies(dir);
    copies.put(DB, '1', VALUES);
    renameSync(file('1'), file('2'));
    expect(copies.read(DB, '2')).toBeNull();
    renameSync(file('2'), file('1'));
    const sealed = readFileSync(file('1'));
    for (const changed of [Buffer.alloc(0), sealed.subarray(0, 20), Buffer.concat([sealed, Buffer.of(0)])]) {
      writeFileSync(file('1'), changed);
      expect(copies.read(DB, '1')).toBeNull();
    }
  });

  test('are kept of the last 100 versions', () => {
    const copies = openSecretCopies(dir);
    for (let version = 1; version <= 101; version += 1) {
      copies.put(DB, String(version), VALUES);
      const atSec = 1_000_000 + version;
      utimesSync(file(String(version)), atSec, atSec);
    }
    expect(copies.read(DB, '101')).toEqual(VALUES);
    expect(readdirSync(dirname(file('101')))).toHaveLength(100);
    copies.put(DB, '102', VALUES);
    expect(['1', '2', '3'].map((version) => copies.read(DB, version) !== null)).toEqual([false, false, true]);
  });

  test('stay in their folder, whatever their names', () => {
    const copies = openSecretCopies(dir);
    copies.put({ namespace: '..', name: '../x' }, '../../y', VALUES);
    expect(copies.read({ namespace: '..', name: '../x' }, '../../y')).toEqual(VALUES);
    expect(readdirSync(dir).sort()).toEqual(['secret-copies', 'secret-copies.key']);
  });
});

test('a task reads the version that it names, or fails with what is missing, without a value', () => {
  const copies = memorySecretCopies();
  copies.put(DB, '1', VALUES);
  const place = { partition: 'aws', region: 'us-east-1', account: '000000000000' };
  const read = (key: string, version: string) =>
    readSecrets(
      { secrets: [{ name: 'PASSWORD', valueFrom: objectReference(place, { ...DB, key, version }) }] },
      { dir, copies },
    );
  expect(read('password', '1')).toEqual({ kind: 'found', variables: [['PASSWORD', 'correct horse']] });
  expect(read('user', '1')).toEqual({
    kind: 'missing',
    reason: expect.stringContaining('did not contain json key user') as unknown,
  });
  expect(read('password', '2')).toEqual({
    kind: 'missing',
    reason: expect.stringContaining(
      `(embedded: version 2 of secret default/db.example in ${join(dir, 'secret-copies')} cannot be read)`,
    ) as unknown,
  });
  expect(JSON.stringify([read('user', '1'), read('password', '2')])).not.toContain('horse');
});
