/** The ServiceAccount that every namespace has. */
export const DEFAULT_ACCOUNT = 'default';

/** ServiceAccounts of one namespace: all of them, or those of these names. */
export type Accounts = 'all' | readonly string[];

/** Whether one who has `own` has all of the others. */
export const areAmong = (others: Accounts, own: Accounts): boolean =>
  own === 'all' || (others !== 'all' && others.every((name) => own.includes(name)));

/** To run tasks under a ServiceAccount; '': under any. */
export const useOf = (namespace: string, name: string) =>
  ({
    kind: 'resource',
    verb: 'use',
    group: '',
    resource: 'serviceaccounts',
    subresource: '',
    namespace,
    name,
  }) as const;
