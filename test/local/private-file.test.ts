import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fileFault, readPrivateFile } from '../../local/private-file.ts';

test.each([
  [{ owner: 1000, mode: 0o600 }, null],
  [{ owner: 1000, mode: 0o400 }, null],
  [{ owner: 0, mode: 0o600 }, null],
  [{ owner: 1001, mode: 0o600 }, 'it belongs to another user (uid 1001)'],
  [{ owner: 1000, mode: 0o640 }, 'others can read it (mode 0640): run chmod 600 on it, and change what it holds'],
  [{ owner: 1000, mode: 0o604 }, 'others can read it (mode 0604): run chmod 600 on it, and change what it holds'],
])('a file %j: %s', (facts, fault) => {
  expect(fileFault(facts, 1000)).toBe(fault);
  expect(fileFault(facts, null)).toBeNull();
});

test.each([
  [0o600, { kind: 'read', text: 'secret\n' }],
  [0o666, { kind: 'refused', fault: 'others can read it (mode 0666): run chmod 600 on it, and change what it holds' }],
])('a file of mode %o', (mode, read) => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-file-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'key');
  writeFileSync(file, 'secret\n');
  chmodSync(file, mode);
  expect(readPrivateFile(file)).toEqual(read);
});
