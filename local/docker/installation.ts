import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { identityOf } from '../data-folder.ts';
import { readOwn, writeWhole } from '../whole-file.ts';

/**
 * The name of a data folder's installation in an engine: twelve hexadecimal digits, the same after a move of the folder. A copy has
 * another, and so has a folder at the same place of another machine, which may use the same engine.
 */
export function installationOf(dataDir: string): string {
  const file = fileOf(dataDir);
  if (!existsSync(file)) writeWhole(file, `${randomBytes(16).toString('hex')}\n`, 'fast');
  return nameOf(dataDir);
}

/** Whether a data folder is there and has this installation. */
export function isInstalled(dataDir: string, installation: string): boolean {
  try {
    return nameOf(dataDir) === installation;
  } catch {
    return false;
  }
}

const fileOf = (dataDir: string): string => join(dataDir, 'installation');

const nameOf = (dataDir: string): string =>
  createHash('sha256')
    .update(`${readOwn(fileOf(dataDir))}${identityOf(dataDir)}`)
    .digest('hex')
    .slice(0, 12);
