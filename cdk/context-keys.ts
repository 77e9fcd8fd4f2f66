import { ContextProvider } from 'aws-cdk-lib/cloud-assembly-schema';
import { closest, distance } from 'fastest-levenshtein';

/** What looks things up in an account, and keeps the answer in cdk.context.json: `vpc-provider:account=…`. */
const PROVIDERS: readonly string[] = Object.values(ContextProvider);

/** What CDK and its libraries have in the context beside: `aws:cdk:…`, and feature flags by the package that has them. */
const OF_CDK = /^(?:aws:|aws-cdk:|@[\w.-]+\/|cdk-migrate$)/;

/** With more changed letters, it is another word: half of it may differ in case. */
const CHANGES_MAX = 3;

/**
 * Why a key of CDK's context is no setting, with the setting that may be meant; null: it is one, or it is CDK's.
 *
 * @param names all settings
 */
export function keyError(key: string, names: readonly string[]): string | null {
  if (names.includes(key) || OF_CDK.test(key) || PROVIDERS.includes(key.split(':', 1)[0] ?? '')) return null;
  const lower = names.map((name) => name.toLowerCase());
  const near = closest(key.toLowerCase(), lower);
  const name = names[lower.indexOf(near)] ?? '';
  const hint =
    distance(key.toLowerCase(), near) <= CHANGES_MAX ? `did you mean ${name}?` : 'docs/deploy.md has a table of all';
  return `there is no such setting: ${hint}`;
}
