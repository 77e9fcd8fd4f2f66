import type { EngineLeftover } from '../../shared/ports/gathered/engine-leftovers.ts';
import { LABELS } from './names.ts';

/** A container that has an installation's label, as the engine lists it. */
export type ListedContainer = { readonly name: string; readonly labels: Readonly<Record<string, string>> };

/** What is known on this machine. */
export type Known = {
  readonly installation: string;
  readonly machine: string;
  /** Whether something still needs a container of this installation. */
  isNeeded(name: string): boolean;
  /** Whether a data folder is there and is that of the installation. */
  isInstalled(folder: string, installation: string): boolean;
};

/**
 * Containers that nobody needs: of this installation, those that no task asks for; of others, all, if the data folder that they
 * belong to was on this machine and is gone, so that no start will remove them. Pure.
 */
export function leftoversIn(listed: readonly ListedContainer[], known: Known): readonly EngineLeftover[] {
  const groups = new Map<string, ListedContainer[]>();
  for (const each of listed) {
    const installation = each.labels[LABELS.installation] ?? '';
    const group = groups.get(installation);
    if (group === undefined) groups.set(installation, [each]);
    else group.push(each);
  }
  return [...groups].flatMap(([installation, containers]): readonly EngineLeftover[] => {
    const names = containers.map(({ name }) => name);
    if (installation === known.installation) {
      const left = names.filter((name) => !known.isNeeded(name));
      return left.length === 0 ? [] : [{ installation, goneFolder: null, containers: left }];
    }
    const keeper = containers.find(({ labels }) => labels[LABELS.folder] !== undefined);
    const folder = keeper?.labels[LABELS.folder];
    // All users of the engine can set labels, and this one becomes part of a command that the doctor shows.
    if (!INSTALLATION.test(installation)) return [];
    const isOurs = keeper?.labels[LABELS.machine] === known.machine;
    if (folder === undefined || !isOurs || known.isInstalled(folder, installation)) return [];
    return [{ installation, goneFolder: folder, containers: names }];
  });
}

/** As installation.ts names them. */
const INSTALLATION = /^[0-9a-f]{12}$/;
