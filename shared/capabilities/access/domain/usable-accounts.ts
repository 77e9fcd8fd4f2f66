import { type Accounts, useOf } from '../../../domain/callers/accounts.ts';
import { MASTERS, type User } from '../../../domain/callers/user.ts';
import type { Policy } from './policy.ts';
import { ruleAllows } from './rule-allows.ts';
import { rulesFor } from './rules-for.ts';

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
