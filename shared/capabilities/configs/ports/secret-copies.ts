import type { PullCopy } from '../../../domain/task/task.ts';
import type { Fatal, Later, Refused } from '../../../ports/tasks.ts';

/** Where tasks read Secrets when they start: Secrets Manager, or what stands for it on this machine. */
export type SecretCopies = {
  /** Puts a version there, unless it is there. Safe to repeat. */
  put(copy: SecretCopy): Promise<{ readonly kind: 'there' } | Later | Refused | Fatal>;
  /** Removes all versions of a Secret. One that is not there is removed. */
  remove(secret: SecretKey): Promise<void>;
  /** Removes the credentials of some registries in one version. What is not there is removed. */
  removePull(pull: PullKey): Promise<void>;
  /** Notes since when nothing new names the credentials. */
  retirePull(pull: PullKey, atMs: number): Promise<void>;
  /** What there are copies of, a page at a time. `next`: pass it as `after`; null: that was all. */
  list(after: string | null): Promise<ListedCopies>;
};

export type ListedCopies = {
  /** With their versions. */
  readonly secrets: readonly SecretKey[];
  /** Those that do not go with a version of their Secret. */
  readonly pulls: readonly KeptPull[];
  readonly next: string | null;
};

export type SecretKey = { readonly namespace: string; readonly name: string };

/** The credentials of some registries in one version of a Secret. */
export type PullKey = SecretKey & PullCopy;

/** `retiredAtMs`: as it was noted; null: never. */
export type KeptPull = PullKey & { readonly retiredAtMs: number | null };

/** A version of a Secret for tasks. */
export type SecretCopy = SecretKey & {
  /** 32 to 64 letters, digits, and hyphens. */
  readonly version: string;
  /** By key: its text, or its bytes in base64 if they are no text. */
  readonly values: ReadonlyMap<string, string>;
  /** Only the credentials of some registries in it, as `username` and `password`. Omitted: all of its keys. */
  readonly registry?: string;
};

declare module '../../../ports/capability-ports.ts' {
  interface CapabilityPorts {
    readonly secretCopies: SecretCopies;
  }
}
