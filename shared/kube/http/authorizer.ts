import type { Context } from 'hono';
import type { Accounts } from '../../domain/callers/accounts.ts';
import type { Attributes } from '../../domain/callers/attributes.ts';
import { type Decision, forbiddenText } from '../../domain/callers/decision.ts';
import type { User } from '../../domain/callers/user.ts';
import { type StatusError, notAuthorized } from './status-error.ts';

/**
 * Decides what callers may do. What cannot be decided is an error, and nobody may do it. A capability that decides says here what
 * else it answers (`declare module`).
 */
export interface Authorizer {
  /** May this user do this? And why, or why not? */
  decide(user: User, wanted: Attributes): Promise<Decision>;
  /** The ServiceAccounts of a namespace that a user may `use`. */
  accounts(user: User, namespace: string): Promise<Accounts>;
}

/** Who has sent a request, and what decides about it; null: every caller may do everything. */
export type Asked = { readonly authorizer: Authorizer | null; readonly callerOf: (c: Context) => User };

/** The answer to a request whose caller may not do this; null: the caller may. */
export async function refusalOf(
  c: Context,
  wanted: Attributes,
  { authorizer, callerOf }: Asked,
): Promise<StatusError | null> {
  if (authorizer === null) return null;
  const user = callerOf(c);
  const decision = await authorizer.decide(user, wanted);
  noteDecision(c, decision);
  if (decision.allowed) return null;
  const why = forbiddenText(user, wanted);
  return notAuthorized(wanted, decision.reason === '' ? why : `${why}: ${decision.reason}`);
}

const DECISION = 'decision';

/** Remembers what was decided about a request, for the audit log. */
export function noteDecision(c: Context, decision: Decision): void {
  c.set(DECISION, decision);
}

/** What was decided about a request last; null: nothing was. */
export function decisionOn(c: Context): Decision | null {
  const decision: unknown = c.get(DECISION);
  return isDecision(decision) ? decision : null;
}

const isDecision = (value: unknown): value is Decision =>
  typeof value === 'object' && value !== null && 'allowed' in value && 'reason' in value;
