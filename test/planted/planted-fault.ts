import type { ANNOTATIONS } from '../../shared/domain/manifests/annotations.ts';
import type { SPECS } from './about-specs.ts';

/** A fault to plant: exact replacements, each of a text that its file holds exactly once. */
export type PlantedFault = {
  readonly name: string;
  readonly edits: readonly Edit[];
  /** Guarantees (design section 10) of which the seeds must name one; `bug`: an invariant trips, or a TypeError. */
  readonly breaks: readonly (`G${number}` | 'bug')[];
  /** Matters only to Jobs with this annotation, or such a spec; omitted: the guarantees say which seeds are about it. */
  readonly about?: keyof typeof ANNOTATIONS | keyof typeof SPECS;
  readonly shownBy?: number;
};

/** A fault that one seed of a thousand sees, and a seed that does: it is run first. */
export const shownBy = (seed: number, fault: PlantedFault): PlantedFault => ({ ...fault, shownBy: seed });

export type Edit = { readonly file: string; readonly find: string; readonly replace: string };

/** One replacement in one file. */
export const one = (
  name: string,
  file: string,
  find: string,
  replace: string,
  breaks: PlantedFault['breaks'],
  about?: PlantedFault['about'],
): PlantedFault => ({
  name,
  edits: [{ file, find, replace }],
  breaks,
  ...(about === undefined ? {} : { about }),
});
