import { type PlantedFault, one } from './planted-fault.ts';

const READ_ITEMS = 'shared/store/read-items.ts';
const PINNED_ITEMS = 'shared/control/lifecycle/pinned-items.ts';

/** Mistakes about Jobs with work lists. */
export const LIST_FAULTS: readonly PlantedFault[] = [
  one(
    'a launch takes the item of the first index of its pack',
    'shared/control/dispatch/launch-all.ts',
    'item: items[i] ?? null',
    'item: items[i * 0] ?? null',
    ['G16'],
  ),
  one(
    'a retry loses its item’s memory',
    'shared/control/dispatch/launch-all.ts',
    'const size = sizeOfItem(manifest, item);',
    'const size = id.attempt > 1 ? null : sizeOfItem(manifest, item);',
    ['G16'],
  ),
  one(
    'a batch gets the memory of its first item',
    'shared/domain/task/item-template.ts',
    "const values = item.columns.get(name)?.split('\\n') ?? [''];",
    "const values = item.columns.get(name)?.split('\\n').slice(0, 1) ?? [''];",
    ['G16'],
  ),
  one(
    'an index runs in the image of another item',
    'shared/domain/task/task.ts',
    'const variant = variants.find((each) => each.image === image);',
    'const variant = variants.findLast((each) => each.image !== image) ?? variants[0];',
    ['G16'],
  ),
  one(
    'a template that is made anew forgets the images of the items',
    'shared/control/dispatch/template.ts',
    "const prepared = await prepare(spec, deps, completions);\n  if ('kind' in prepared) return",
    "const { variants: _gone, ...prepared } = { variants: 0, ...(await prepare(spec, deps, completions)) };\n  if ('kind' in prepared) return",
    ['bug'],
  ),
  one(
    'a batch begins one item late',
    READ_ITEMS,
    'const first = index * batch;',
    'const first = index * batch + (batch > 1 ? 1 : 0);',
    ['G16', 'bug'],
  ),
  one(
    'an inline list is read without its first item',
    READ_ITEMS,
    'inline.set(manifest, parsed.list.rows);',
    'inline.set(manifest, parsed.list.rows.slice(1));',
    ['G16', 'bug'],
  ),
  one(
    'a run of another list is taken for one of this',
    READ_ITEMS,
    'const known = runs.get(content) ?? [];',
    'const known = [...runs.values()].flat();',
    ['G16'],
  ),
  one(
    'a run is read one item beyond its end',
    READ_ITEMS,
    'number < first + rows.length;',
    'number <= first + rows.length;',
    ['bug'],
  ),
  one(
    'a Job does not reserve its items',
    PINNED_ITEMS,
    'return pinned === null || items.reserve(pinned.content, uid, clock.now());',
    'return pinned === null || (await items.readHead(pinned.content)) !== null || items.reserve(pinned.content, uid, clock.now());',
    ['bug'],
  ),
  one(
    'a deleted Job keeps its items for ever',
    PINNED_ITEMS,
    'if (pinned !== null) await items.release(pinned.content, uid);',
    'if (pinned !== null) await items.readHead(pinned.content);',
    ['G7'],
  ),
];
