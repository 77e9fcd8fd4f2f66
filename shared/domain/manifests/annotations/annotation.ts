/** One annotation of Muster's: all that is said of it, except what the program does with its value. */
export type Annotation = {
  /** With its prefix. */
  readonly key: string;
  /** What it means, in a few words: `kubectl explain` shows them. */
  readonly explains: string;
  /** A user's value is refused, or not looked at. Omitted: users set it. */
  readonly setBy?: 'server';
} & (Readable | { readonly parse?: never; readonly rule?: never; readonly isSecret?: never });

/** Omitted: rules of its own read the value, because they need more than its text. */
type Readable = {
  /** The value; null: it is refused. */
  readonly parse: (text: string) => unknown;
  /** What a value must be: the message of a fault. */
  readonly rule: string | ((text: string) => string);
  /** No message shows its value. */
  readonly isSecret?: true;
};

/** One that a Job has. Each says what a change of it means. */
export type JobAnnotation = Annotation & {
  /** What there must be besides; omitted: nothing. */
  readonly needs?: readonly Need[];
  readonly immutable: Immutable;
  /** The copies of a Job that it is left out of; omitted: each has it. */
  readonly leftOutOf?: readonly JobCopy[];
} & (InField | { readonly field?: never; readonly absent?: never });

/** One by which a Job names an object that has its items. */
export type ItemNaming = JobAnnotation & {
  /** The kind of that object. */
  readonly names: string;
};

/** Omitted: other code reads the value. */
type InField = {
  /** The field of a Job's spec, as planning needs it, that has the value. */
  readonly field: string;
  /** The field of a Job without the annotation. */
  readonly absent: unknown;
};

/** Something without which an annotation means nothing. */
export type Need = {
  /** Paths of the Job (`spec.completions`), or keys of other annotations: one of them is enough. */
  readonly anyOf: readonly string[];
  /** The value that it must have; omitted: any. */
  readonly is?: string;
  /** The fault's words for it; omitted: what `anyOf` and `is` say. */
  readonly called?: string;
  readonly why?: string;
  /** A value that needs nothing, since it changes nothing. */
  readonly unless?: string;
};

/** When a stored Job's annotation cannot be changed: `oncePassed` is about the moment that it names, `ruled` a rule of its own. */
export type Immutable = 'always' | 'never' | 'onceStarted' | 'oncePassed' | 'ruled';

/** A Job that `muster rerun` makes of another one, or that a message makes of it. */
export type JobCopy = 'rerun' | 'submission';

/** The fault of an annotation without what it needs. */
export const needText = ({ anyOf, is, called, why }: Need): string => {
  const all = is === undefined ? anyOf : anyOf.map((each) => `${each}: ${is}`);
  const [last, ...others] = all.toReversed();
  const named = others.length === 0 ? `${last}` : `${others.toReversed().join(', ')}, or ${last}`;
  return `needs ${called ?? named}${why === undefined ? '' : `: ${why}`}`;
};
