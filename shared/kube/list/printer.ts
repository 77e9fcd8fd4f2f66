import type { EpochMs } from '../../domain/base/time.ts';

/** How objects of one kind are shown as rows of a table (`meta.k8s.io` Table), which `kubectl get` prints. */
export type Printer<T> = {
  readonly columns: readonly Column[];
  /** One cell per column. Ages are relative to `now`. */
  readonly cells: (object: T, now: EpochMs) => readonly Cell[];
  /** What a row has apart from its cells. */
  readonly conditions?: (object: T) => readonly RowCondition[];
};

export type Column = {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean';
  /** `name`: the object's name, which clients prefix. */
  readonly format: '' | 'name';
  readonly description: string;
  /** 1: shown only by `-o wide`. */
  readonly priority: 0 | 1;
};

export type Cell = string | number | boolean | null;

/** `Completed`: the object has ended. */
export type RowCondition = {
  readonly type: 'Completed';
  readonly status: 'True';
  readonly reason: string;
  readonly message: string;
};

const column = (
  name: string,
  description: string,
  more: { readonly type?: Column['type']; readonly format?: Column['format']; readonly priority?: 0 | 1 } = {},
): Column => ({ name, type: 'string', format: '', description, priority: 0, ...more });

export const text = (name: string, description: string): Column => column(name, description);
export const count = (name: string, description: string): Column => column(name, description, { type: 'integer' });
export const flag = (name: string, description: string): Column => column(name, description, { type: 'boolean' });
/** A column that only `-o wide` shows. */
export const wide = (name: string, description: string): Column => column(name, description, { priority: 1 });

export const NAME: Column = column('Name', 'Name of the object, unique among those of its kind in its namespace.', {
  format: 'name',
});
export const AGE: Column = text('Age', 'Time since the object was created.');
