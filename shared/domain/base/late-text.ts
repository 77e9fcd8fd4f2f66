import { unreachable } from './invariant.ts';

/** What is known about an attempt only when it is launched. */
export type AttemptField =
  | { readonly field: 'podName' }
  | { readonly field: 'podUid' }
  | { readonly field: 'completionIndex' }
  /** How many indexes there are. */
  | { readonly field: 'completions' }
  /** The index, counted from 1. */
  | { readonly field: 'sequence' }
  /** Which try of its index it is, from 0. */
  | { readonly field: 'retryIndex' }
  /** How often the index has failed before, if it has a limit of its own. */
  | { readonly field: 'failureCount' }
  | { readonly field: 'ignoredFailureCount' }
  /** A label that the Job puts on its Pods: it differs by Job, while Jobs share a task definition. */
  | { readonly field: 'label'; readonly key: string }
  /** The index's value in this column of the Job's work list. */
  | { readonly field: 'column'; readonly name: string }
  /** The index's item as a line, and the name of its results. */
  | { readonly field: 'item' }
  | { readonly field: 'resultName' };

/** A text with parts that are known only at launch. Neighboring known parts are joined. */
export type LateText = readonly (string | AttemptField)[];

/** The values of an attempt's fields. */
export type AttemptValues = {
  readonly podName: string;
  readonly podUid: string;
  readonly completionIndex: number;
  /** As the launch template has it; null: it says none. */
  readonly completions: number | null;
  readonly retryIndex: number;
  readonly failureCount: number;
  readonly ignoredFailureCount: number;
  readonly labels: Readonly<Record<string, string>>;
  /** null: the Job has no work list. */
  readonly item: ItemValues | null;
};

/** What a work list gives to the attempts of one index. */
export type ItemValues = {
  /** By column. */
  readonly columns: ReadonlyMap<string, string>;
  readonly line: string;
  readonly resultName: string;
};

/** Joins neighboring known parts. */
export function lateText(parts: LateText): LateText {
  const joined: (string | AttemptField)[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (typeof part === 'string' && typeof last === 'string') joined[joined.length - 1] = last + part;
    else if (part !== '') joined.push(part);
  }
  return joined;
}

/** The text, if all of it is known; otherwise null. */
export function knownText(text: LateText): string | null {
  if (text.length === 0) return '';
  const [only] = text;
  return text.length === 1 && typeof only === 'string' ? only : null;
}

/** The text with names in place of what is not known yet: for people, and as a placeholder. */
export const placeholder = (text: LateText): string =>
  text
    .map((part) => (typeof part === 'string' ? part : `$(${part.field === 'column' ? part.name : part.field})`))
    .join('');

/** The text of one attempt. */
export const fillIn = (text: LateText, attempt: AttemptValues): string =>
  text.map((part) => (typeof part === 'string' ? part : valueOf(part, attempt))).join('');

function valueOf(part: AttemptField, attempt: AttemptValues): string {
  switch (part.field) {
    case 'label':
      return attempt.labels[part.key] ?? '';
    case 'column':
      return attempt.item?.columns.get(part.name) ?? '';
    case 'item':
      return attempt.item?.line ?? '';
    case 'resultName':
      return attempt.item?.resultName ?? '';
    case 'completions':
      return attempt.completions === null ? '' : String(attempt.completions);
    case 'sequence':
      return String(attempt.completionIndex + 1);
    case 'podName':
    case 'podUid':
    case 'completionIndex':
    case 'retryIndex':
    case 'failureCount':
    case 'ignoredFailureCount':
      return String(attempt[part.field]);
    default:
      return unreachable(part);
  }
}
