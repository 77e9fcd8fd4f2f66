import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SecretsKey } from '../ports/secrets-key.ts';

const FILE = 'secrets.key';
const OWNER_ONLY = 0o600;

/** The key as a file that only its owner can read, in a folder that only its owner can enter. */
export function keyFile(dataDir: string): SecretsKey {
  const path = join(dataDir, FILE);
  return {
    place: `file ${path}`,
    async read() {
      try {
        return readFileSync(path, 'utf8');
      } catch (error) {
        if (isCoded(error, 'ENOENT')) return null;
        throw error;
      }
    },
    async make(text) {
      const draft = `${path}.${process.pid}`;
      rmSync(draft, { force: true });
      write(draft, `${text}\n`);
      try {
        linkSync(draft, path); // it is there whole, or not at all, and never in the place of another
      } catch (error) {
        if (!isCoded(error, 'EEXIST')) throw error;
      } finally {
        rmSync(draft, { force: true });
      }
      syncFolder(dataDir);
    },
  };
}

function write(path: string, text: string): void {
  const file = openSync(path, 'wx', OWNER_ONLY);
  try {
    writeFileSync(file, text);
    fsyncSync(file); // Secrets that are stored next cannot be read without it
  } finally {
    closeSync(file);
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

const isCoded = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
