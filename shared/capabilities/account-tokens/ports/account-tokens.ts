import type { TokenClaims } from '../domain/token-claims.ts';

/** Signs tokens of ServiceAccounts, and knows its own. */
export type AccountTokens = {
  sign(claims: TokenClaims): Promise<string>;
  /** What a token of these says, whether it still holds or not; null: it is none of these. */
  read(token: string): Promise<unknown>;
};

declare module '../../../ports/capability-ports.ts' {
  interface CapabilityPorts {
    readonly accountTokens: AccountTokens;
  }
}
