import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A disk for this test, of this many KiB; null: only root may have one. */
export function aDisk(kib: number): { readonly dir: string; readonly remount: (options: string) => void } | null {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'muster-disk-')));
  const mounted =
    process.platform === 'linux' &&
    spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kib}k,mode=700`, 'tmpfs', dir]).status === 0;
  onTestFinished(() => {
    if (mounted) spawnSync('umount', ['-l', dir]);
    rmSync(dir, { recursive: true, force: true });
  });
  if (!mounted) console.warn('SKIPPED: a disk to fill takes root, to mount a tmpfs');
  return mounted ? { dir, remount: (options) => void spawnSync('mount', ['-o', `remount,${options}`, dir]) } : null;
}

/** Leaves no byte on it. */
export function fill(dir: string): void {
  try {
    writeFileSync(join(dir, 'filling'), Buffer.alloc(64 * 1024 * 1024));
  } catch {
    // now it is full
  }
}
