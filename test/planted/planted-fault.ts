/** A fault to plant: exact replacements, each of a text that its file holds exactly once. */
export type PlantedFault = {
  readonly name: string;
  readonly edits: readonly Edit[];
  /** Guarantees (design section 10) of which the seeds must name one; `bug`: an invariant trips, or a TypeError. */
  readonly breaks: readonly (`G${number}` | 'bug')[];
};

export type Edit = { readonly file: string; readonly find: string; readonly replace: string };

/** One replacement in one file. */
export const one = (
  name: string,
  file: string,
  find: string,
  replace: string,
  breaks: PlantedFault['breaks'],
): PlantedFault => ({
  name,
  edits: [{ file, find, replace }],
  breaks,
});
