import type { StoredKind } from '../../domain/kinds/api-kinds.ts';
import { briefly, firstFaults } from '../object/field-error.ts';

/** A Job that a message asks for. */
export type Submission = {
  readonly namespace: string;
  readonly of: SubmittedTemplate;
  /** What tells this submission from all others of its namespace: the same however often its message comes. */
  readonly source: string;
  readonly taskToken: string | null;
};

export type SubmittedTemplate =
  | { readonly kind: 'manifest'; readonly document: Readonly<Record<string, unknown>> }
  | {
      readonly kind: StoredKind | 'Job';
      /** The object that has the template. */
      readonly name: string;
      readonly additions: Additions;
    };

/** What a Job has beyond its template. */
export type Additions = {
  /** The Job's name; null: one is made of the submission's source. */
  readonly name: string | null;
  /** Its work list; null: that of the template. */
  readonly items: SubmittedItems | null;
  /** For all containers. */
  readonly env: readonly SubmittedVariable[];
};

export type SubmittedItems =
  /** `key`: the annotation that says the name of what has them. */
  | { readonly kind: 'named'; readonly key: string; readonly name: string }
  /** As the annotation has it. */
  | { readonly kind: 'inline'; readonly text: string }
  /** There is nothing to do. */
  | { readonly kind: 'none' };

/** The value is taken as it is: `$(NAME)` in it is no reference. */
export type SubmittedVariable = { readonly name: string; readonly value: string };

/** An object that was created in S3. Which Jobs it makes depends on what there is. */
export type CreatedObject = {
  readonly bucket: string;
  /** Decoded. */
  readonly key: string;
  /** null: the bucket has no versions. */
  readonly versionId: string | null;
  readonly size: number | null;
  /** The same for every notification of this creation, whichever way it took. */
  readonly source: string;
};

/** Faults of a message, each with its path; none: the message as a whole. */
export type Fault = { readonly path: string; readonly message: string };

/** What a message of the submit queue says. */
export type ReadMessage =
  | { readonly kind: 'submission'; readonly submission: Submission }
  | { readonly kind: 'objects'; readonly objects: readonly CreatedObject[] }
  /** S3 tries a new notification out. */
  | { readonly kind: 'test' }
  /** `namespace`, `taskToken`: as far as the message says them; null: it does not. */
  | {
      readonly kind: 'unreadable';
      readonly namespace: string | null;
      readonly taskToken: string | null;
      readonly message: string;
      readonly faults: readonly Fault[];
    };

/** Keeps the first faults of a message, and how many there are beside. */
export function unreadable(
  message: string,
  all: readonly Fault[] = [],
  { namespace = null, taskToken = null }: Said = {},
): ReadMessage & { readonly kind: 'unreadable' } {
  const { told, more } = firstFaults(all);
  const faults = told.map(({ path, message: why }) => ({ path: briefly(path), message: briefly(why) }));
  if (more > 0) faults.push({ path: '', message: `and ${more} more` });
  return { kind: 'unreadable', namespace, taskToken, message, faults };
}

/** What is known of a message that is not read. */
export type Said = { readonly namespace?: string | null; readonly taskToken?: string | null };
