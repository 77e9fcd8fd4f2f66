import type { Fatal, Later, Refused } from '../../../ports/tasks.ts';

/** Where tasks read Secrets when they start: Secrets Manager, or what stands for it on this machine. */
export type SecretCopies = {
  /** Puts a version there, unless it is there. Safe to repeat. */
  put(copy: SecretCopy): Promise<{ readonly kind: 'there' } | Later | Refused | Fatal>;
  /** Removes all versions of a Secret. One that is not there is removed. */
  remove(secret: Pick<SecretCopy, 'namespace' | 'name'>): Promise<void>;
  /** The Secrets of which there are copies, a page at a time. `next`: pass it as `after`; null: that was all. */
  list(
    after: string | null,
  ): Promise<{ readonly secrets: readonly Pick<SecretCopy, 'namespace' | 'name'>[]; readonly next: string | null }>;
};

/** A version of a Secret for tasks. */
export type SecretCopy = {
  readonly namespace: string;
  readonly name: string;
  /** 32 to 64 letters, digits, and hyphens. */
  readonly version: string;
  /** By key: its text, or its bytes in base64 if they are no text. */
  readonly values: ReadonlyMap<string, string>;
};

declare module '../../../ports/capability-ports.ts' {
  interface CapabilityPorts {
    readonly secretCopies: SecretCopies;
  }
}
