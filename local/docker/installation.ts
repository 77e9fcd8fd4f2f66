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
  const file = join(dataDir, 'installation');
  if (!existsSync(file)) writeWhole(file, `${randomBytes(16).toString('hex')}\n`, 'fast');
  return createHash('sha256')
    .update(`${readOwn(file)}${identityOf(dataDir)}`)
    .digest('hex')
    .slice(0, 12);
}
