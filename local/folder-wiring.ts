import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type NotTaken, databaseOf } from './data-folder.ts';
import { readOwn, writeWhole } from './whole-file.ts';
import type { WiringKind } from './wiring/wiring.ts';

/** The marker in a data folder: which command made it. */
const MARKER = 'made-by';
const COMMANDS: Readonly<Record<WiringKind, string>> = {
  inProcess: 'muster local',
  emulateAws: 'muster local --emulate-aws',
};

/**
 * Claims a taken data folder for one wiring, with a marker in it. Refuses a folder that the other one made: its files are
 * not what this one reads, and what is kept with `--emulate-aws` can be reached by other users of the machine. A folder
 * without a marker is new, or of a version that had only what is `--emulate-aws` now: then it has a database.
 *
 * @throws disk errors
 */
export function claimFor(path: string, wiring: WiringKind): NotTaken | null {
  const file = join(path, MARKER);
  const command = COMMANDS[wiring];
  const madeBy = existsSync(file) ? readOwn(file).trim() : null;
  if (madeBy === command) return null;
  if (madeBy === null && wiring === 'inProcess' && existsSync(databaseOf(path))) {
    const here = `\`${COMMANDS.emulateAws} --data ${path}\``;
    const reason = `${path} was made by an earlier version of Muster: go on with its Jobs with ${here}, or give --data another folder`;
    return { kind: 'refused', reason };
  }
  if (madeBy === null) {
    writeWhole(file, `${command}\n`, 'durable');
    return null;
  }
  const reason = `${path} was made by \`${madeBy}\`, and \`${command}\` keeps Jobs in another way: use that command there, or give --data another folder`;
  return { kind: 'refused', reason };
}
