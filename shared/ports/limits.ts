import type { PaceState } from '../domain/base/pace.ts';

/** Rows that all dispatchers share: how far launch slots (or stop slots) have been granted. */
export type Limits = {
  read(name: LimitName): Promise<LimitRow>;
  /** Writes `state` if the row's version is still `expectedVersion`; `lost` returns the current row. */
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
