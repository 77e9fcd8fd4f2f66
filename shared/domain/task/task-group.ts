import type { AttemptId } from '../base/fact.ts';

/** ECS takes 255 characters; three numbers and a prefix stay far below that. */
const NUMBERS = /^(0|[1-9]\d{0,9}):(0|[1-9]\d{0,9}):(0|[1-9]\d{0,9})$/;

/** An ECS task's `group`: `<prefix><index>:<attempt>:<nonce>`, so that any event names its attempt without a lookup. */
export const formatGroup = (prefix: string, { index, attempt, nonce }: AttemptId): string =>
  `${prefix}${index}:${attempt}:${nonce}`;

/** The attempt that `group` names; null: not one of our groups. Only what {@link formatGroup} writes is accepted. */
export function parseGroup(prefix: string, group: string): AttemptId | null {
  if (!group.startsWith(prefix)) return null;
  const numbers = NUMBERS.exec(group.slice(prefix.length));
  if (numbers === null) return null;
  return { index: Number(numbers[1]), attempt: Number(numbers[2]), nonce: Number(numbers[3]) };
}
