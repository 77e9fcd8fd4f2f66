import { principalOf } from '../domain/token/principal.ts';

/** Checks a comma-separated list of users and roles, by their ARNs. */
export function adminsError(list: string): string | null {
  const wrong = arnsIn(list).find((arn) => principalOf(arn) === null);
  return wrong === undefined
    ? null
    : `must be the ARNs of users and roles, separated by commas, such as arn:aws:iam::123456789012:role/ops, not ${wrong}`;
}

/** The same users and roles as requests name them: a role without its path, and without a session's name. */
export const adminsIn = (list: string): readonly string[] => arnsIn(list).flatMap((arn) => principalOf(arn)?.arn ?? []);

const arnsIn = (list: string): readonly string[] =>
  list
    .split(',')
    .map((arn) => arn.trim())
    .filter((arn) => arn !== '');

/** Checks a comma-separated list of accounts. */
export const accountsError = (list: string): string | null =>
  list.split(',').every((account) => /^\d{12}$/.test(account.trim()))
    ? null
    : 'must be the ids of AWS accounts, 12 digits each, separated by commas';
