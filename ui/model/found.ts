/** A thing that search finds. */
export type Findable = { readonly kind: string; readonly title: string; readonly href: string };

const FOUND_MAX = 40;

/**
 * The things whose titles have all words of a text; those that begin with it first. A number after the words of a Job's name is
 * one of its indexes.
 */
export function found(things: readonly Findable[], text: string): readonly Findable[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const last = words.at(-1) ?? '';
  const index = words.length > 1 && /^\d{1,7}$/.test(last) ? last : null;
  const hits = things.filter(({ title, kind }) =>
    words.every((word) => `${title} ${kind}`.toLowerCase().includes(word)),
  );
  const indexes =
    index === null
      ? []
      : found(things, words.slice(0, -1).join(' '))
          .filter(({ kind }) => kind === 'Job')
          .map(({ title, href }) => ({ kind: 'Index', title: `${title} ${index}`, href: `${href}/index/${index}` }));
  const begins = ({ title }: Findable): number => Number(nameOf(title).startsWith(words[0] ?? ''));
  return [...indexes, ...hits.toSorted((a, b) => begins(b) - begins(a))].slice(0, FOUND_MAX);
}

const nameOf = (title: string): string => title.slice(title.indexOf('/') + 1).toLowerCase();
