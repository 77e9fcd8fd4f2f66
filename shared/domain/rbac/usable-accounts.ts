import { MASTERS, type Policy, type User } from './policy.ts';
import { ruleAllows } from './rule-allows.ts';
import { rulesFor } from './rules-for.ts';

/** ServiceAccounts of one namespace: all of them, or those of these names. */
export type Accounts = 'all' | readonly string[];

/** Names that are kept: a user whose rules name more counts as having the first ones only. */
const NAMES_MAX = 100;

/** The ServiceAccounts of a namespace that a user may `use`, in order of their names. */
export function usableAccounts(user: User, namespace: string, policy: Policy): Accounts {
  if (user.groups.includes(MASTERS)) return 'all';
  const names = new Set<string>();
  for (const granted of rulesFor(user, namespace, policy)) {
    if (granted.kind === 'missing') continue;
    const { rule } = granted;
    const { resourceNames = [] } = rule;
    // One that is named '' is none.
    if (resourceNames.length === 0 && ruleAllows(rule, useOf(namespace, ''))) return 'all';
    for (const name of resourceNames) if (name !== '' && ruleAllows(rule, useOf(namespace, name))) names.add(name);
  }
  return [...names].toSorted().slice(0, NAMES_MAX);
}

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
