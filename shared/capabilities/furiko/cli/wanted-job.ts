import * as z from 'zod';
import { usageFailure } from '../../../../cli/shell/failure.ts';
import { parseDurationMs } from '../../../../cli/text/duration.ts';
import { CONCURRENCY_POLICIES } from './concurrency-policies.ts';

const COMMAND_NEEDS = 'a Job that runs a command needs --image, and the command after --';

/** What may be given, by the names that commander gives to options. */
const Given = z
  .strictObject({
    wait: z.unknown(),
    timeout: z.unknown(),
    namespace: z.unknown(),
    output: z.unknown(),
    optionValues: z.array(z.string()),
    useDefaultOptions: z.boolean(),
    interactive: z.boolean(),
    name: z.string(),
    generateName: z.string(),
    /** In milliseconds since 1970. */
    at: z.number(),
    after: z.string(),
    concurrencyPolicy: z.enum(CONCURRENCY_POLICIES),
    enqueue: z.boolean(),
  })
  .partial();

/**
 * What the command line says of the Job of a JobConfig.
 *
 * @throws Failure for `replace` and options of other forms, and where two say different things
 */
export function wantedJob(given: Readonly<Record<string, unknown>>, nowMs: number) {
  const alien = Object.keys(given).find((key) => !Object.hasOwn(Given.shape, key));
  if (alien !== undefined) throw usageFailure(`--${kebab(alien)} is not for a Job of a JobConfig; ${COMMAND_NEEDS}`);
  const {
    name = null,
    generateName = null,
    at,
    after,
    enqueue = false,
    concurrencyPolicy: policy,
    ...rest
  } = Given.parse(given);
  if (name !== null && generateName !== null) throw usageFailure('--name and --generate-name cannot be combined');
  const afterMs = after === undefined ? null : parseDurationMs(after);
  if (after !== undefined && afterMs === null)
    throw usageFailure(
      `--after ${after}: a Job of a JobConfig starts after a duration such as 90s, 5m, or 1h30m; ${COMMAND_NEEDS}`,
    );
  if (at !== undefined && afterMs !== null) throw usageFailure('--at and --after cannot be combined');
  if (enqueue && policy !== undefined && policy !== 'Enqueue')
    throw usageFailure(`--enqueue and --concurrency-policy ${policy} cannot be combined`);
  return {
    name,
    generateName,
    optionTexts: rest.optionValues ?? [],
    asks: rest.interactive !== false && rest.useDefaultOptions !== true,
    concurrencyPolicy: enqueue ? ('Enqueue' as const) : (policy ?? null),
    startAtMs: at ?? (afterMs === null ? null : nowMs + afterMs),
  };
}

const kebab = (key: string): string => key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
