import { NewerFormatError } from '../../../shared/domain/base/newer-format.ts';
import { JOBS, type World, aWorld, manifest } from '../a-world.ts';

/** Jobs `a`, `newer`, `z` in `default`, each with a Pod; from now on `newer` has the STATUS of a later release. */
export async function aWorldWithNewer(): Promise<World> {
  const world = await aWorld();
  for (const name of ['a', 'newer', 'z']) {
    await world.post(JOBS, manifest(name));
    await world.commit(name, [{ op: 'claim', index: 0 }]);
  }
  makeNewer(world, [await world.uidOf('newer')]);
  return world;
}

/** From now on these Jobs have the STATUS of a later release. */
export function makeNewer(world: World, uids: readonly string[]): void {
  const readStatus = world.jobs.readStatus.bind(world.jobs);
  world.jobs.readStatus = async (asked) => {
    if (uids.includes(asked)) throw new NewerFormatError('a STATUS', 99, 9);
    return readStatus(asked);
  };
}

/** A world in which lists of objects leave out `newer`, whose row has the layout of a later release. */
export async function aWorldWithNewerRows(): Promise<World> {
  const world = await aWorld();
  const list = world.objects.list.bind(world.objects);
  world.objects.list = async (kind, page) => {
    if (page.onNewer === undefined) throw new NewerFormatError('row newer', 2, 1);
    page.onNewer({ namespace: 'default', name: 'newer' });
    return list(kind, page);
  };
  return world;
}

type Listed = { readonly items: readonly { readonly metadata: { readonly name: string } }[] };

/** The names of what a list has; of a Pod's, that of its Job. */
export const namesIn = async (answer: Response): Promise<readonly string[]> =>
  ((await answer.json()) as Listed).items.map(({ metadata }) => metadata.name.replace(/-0-[a-z0-9]{5}$/, ''));

/** The header by which a list says what it leaves out. */
export const warningOf = (what: string): string =>
  `299 - "not shown, because a later release of Muster has stored it: ${what}"`;
