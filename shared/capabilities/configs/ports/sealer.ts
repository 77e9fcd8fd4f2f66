import { Unavailable } from '../../../ports/unavailable.ts';

/** Whose contents are sealed. What was sealed for one object cannot be opened for another. */
export type SealedFor = {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
};

/** Seals what is stored, with the installation's key. */
export type Sealer = {
  /** The key is made if there is none yet. */
  seal(plain: Uint8Array, of: SealedFor): Promise<Uint8Array>;
  /** @throws SealError if it cannot be opened */
  open(sealed: Uint8Array, of: SealedFor): Promise<Uint8Array>;
};

/** The key is missing, is no key, or is another one; or what was sealed has been altered. The message names the key, and no value. */
export class SealError extends Unavailable {
  override readonly name = 'SealError';
}

declare module '../../../ports/capability-ports.ts' {
  interface CapabilityPorts {
    /** A process without it sees Secrets as they are stored, and stores none. */
    readonly sealer: Sealer;
  }
}
