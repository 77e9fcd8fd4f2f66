import { ANNOTATIONS } from '../../shared/domain/manifests/annotations.ts';
import {
  formatAfter,
  formatAfterIndexes,
  parseAfter,
  parseAfterIndexes,
} from '../../shared/domain/manifests/annotations/dependencies.ts';
import { usageFailure } from '../shell/failure.ts';
import type { LineFlags } from './line-flags.ts';

/**
 * The annotations that name the Jobs which a new Job waits for.
 *
 * @param name the new Job's
 * @throws Failure (invalid command line) that says what is wrong with `--after` or `--after-indexes`
 */
export function dependencyAnnotations(
  name: string,
  { after, afterIndexes }: Pick<LineFlags, 'after' | 'afterIndexes'>,
): Readonly<Record<string, string>> {
  const annotations: Record<string, string> = {};
  if (after !== undefined) {
    const parsed = parseAfter(after);
    if (parsed.kind === 'invalid') throw usageFailure(`--after ${parsed.reason}`);
    refuseItself('--after', name, parsed.after);
    annotations[ANNOTATIONS.after] = formatAfter(parsed.after);
  }
  if (afterIndexes !== undefined) {
    const parsed = parseAfterIndexes(afterIndexes);
    if (parsed.kind === 'invalid') throw usageFailure(`--after-indexes ${parsed.reason}`);
    refuseItself('--after-indexes', name, parsed.afterIndexes);
    annotations[ANNOTATIONS.afterIndexes] = formatAfterIndexes(parsed.afterIndexes);
  }
  return annotations;
}

function refuseItself(option: string, name: string, named: readonly { readonly name: string }[]): void {
  if (named.some((each) => each.name === name)) throw usageFailure(`${option}: job ${name} cannot wait for itself`);
}
