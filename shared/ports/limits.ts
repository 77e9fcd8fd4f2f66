import type { PaceState } from '../domain/pace.ts';

/** Rows that all dispatchers share: how far launch rights (or stop rights) are given out. */
export type Limits = {
  read(name: LimitName): Promise<LimitRow>;
  /** Writes `state` if the row's version is still `expectedVersion`; `lost` comes with the row as it is. */
  commit(
    name: LimitName,
    expectedVersion: number,
    state: PaceState,
  ): Promise<
    { readonly kind: 'committed'; readonly row: LimitRow } | { readonly kind: 'lost'; readonly row: LimitRow }
  >;
};

/** RunTask, StopTask; Cloud Map's services (names), and their instances. */
export type LimitName = 'launch' | 'stop' | 'nameService' | 'name';
export type LimitRow = { readonly version: number; readonly state: PaceState };
