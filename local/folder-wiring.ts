import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type NotTaken, databaseOf } from './data-folder.ts';
import { readOwn, writeWhole } from './whole-file.ts';
import type { WiringKind } from './wiring/wiring.ts';

/** The marker in a data folder, which names the command that created it. */
const MARKER = 'made-by';
const COMMANDS: Readonly<Record<WiringKind, string>> = {
  inProcess: 'muster local',
  emulateAws: 'muster local --emulate-aws',
};

/**
 * Claims a data folder for one wiring, with a marker in it. Refuses a folder that the other wiring created: its files
 * have another format, and other users of the machine can reach what `--emulate-aws` stores. A folder without a marker
 * is new, unless it has a database: then it is from a version that had only what is now `--emulate-aws`.
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
    const reason = `${path} was created by an earlier version of Muster: continue its Jobs with ${here}, or use --data with another folder`;
    return { kind: 'refused', reason };
  }
  if (madeBy === null) {
    writeWhole(file, `${command}\n`, 'durable');
    return null;
  }
  const reason = `${path} was created by \`${madeBy}\`, and \`${command}\` stores Jobs differently: use \`${madeBy}\` there, or use --data with another folder`;
  return { kind: 'refused', reason };
}
