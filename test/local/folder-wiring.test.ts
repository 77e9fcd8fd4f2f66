import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { claimFor } from '../../local/folder-wiring.ts';

function aFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'muster-claim-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test('a folder is of the mode that made it, and is refused to the other with what to do', () => {
  for (const [own, other, ownCommand, otherCommand] of [
    ['inProcess', 'emulateAws', 'muster local', 'muster local --emulate-aws'],
    ['emulateAws', 'inProcess', 'muster local --emulate-aws', 'muster local'],
  ] as const) {
    const dir = aFolder();
    expect(claimFor(dir, own)).toBeNull();
    expect(claimFor(dir, own)).toBeNull();
    expect(claimFor(dir, other)).toEqual({
      kind: 'refused',
      reason: `${dir} was created by \`${ownCommand}\`, and \`${otherCommand}\` stores Jobs differently: use \`${ownCommand}\` there, or use --data with another folder`,
    });
    expect(readFileSync(join(dir, 'made-by'), 'utf8')).toBe(`${ownCommand}\n`);
    expect(statSync(join(dir, 'made-by')).mode & 0o777).toBe(0o600);
  }
});

test('a folder of a version that had no marker is of its database', () => {
  const dir = aFolder();
  writeFileSync(join(dir, 'dynamodb.sqlite'), '');
  expect(claimFor(dir, 'inProcess')?.reason).toBe(
    `${dir} was created by an earlier version of Muster: continue its Jobs with \`muster local --emulate-aws --data ${dir}\`, or use --data with another folder`,
  );
  expect(claimFor(dir, 'emulateAws')).toBeNull();
  expect(claimFor(dir, 'inProcess')?.reason).toContain('was created by `muster local --emulate-aws`');
});

test('a marker that says anything else is refused by both', () => {
  const dir = aFolder();
  writeFileSync(join(dir, 'made-by'), 'something of a later version\n');
  expect(claimFor(dir, 'inProcess')?.reason).toContain('was created by `something of a later version`');
  expect(claimFor(dir, 'emulateAws')?.reason).toContain('was created by `something of a later version`');
});
