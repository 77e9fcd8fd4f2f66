import * as z from 'zod';
import { type IndexSet, parseIndexesStrict } from '../../../domain/base/index-set.ts';
import { INDEX_ACTIONS, type IndexAction } from '../../../domain/scoreboard/index-changes.ts';
import { parseDuration } from '../../../schema/object/duration.ts';

/** What happens to the tasks of a simulated Job and what users do in the meantime. All times in milliseconds. */
export type Script = {
  /** The first rule that matches an attempt decides its fate. */
  readonly attempts: readonly FateRule[];
  readonly user: readonly UserAct[];
  readonly limits: {
    /** null: as many as are asked for */
    readonly launchesPerSec: number | null;
    /** From RunTask to RUNNING. */
    readonly startMs: number;
    /** From StopTask to STOPPED. */
    readonly stopMs: number;
  };
};

/** null: all of them. Attempts are counted from 0: an index's first try. */
export type FateRule = {
  readonly indexes: IndexSet | null;
  readonly attempts: IndexSet | null;
  /** One of the index's items, as a line. */
  readonly item: string | null;
  readonly runMs: number;
  readonly exit: Exit;
};

export type Exit =
  /** It ends by itself: all containers with this code, or the main one with 0 and these with theirs. */
  | { readonly kind: 'exits'; readonly exitCode: number }
  | { readonly kind: 'containersExit'; readonly exitCodes: ReadonlyMap<string, number> }
  /** Something else ends it; the code that the program leaves, null: the usual one. */
  | { readonly kind: EndWord; readonly exitCode: number | null };

const END_WORDS = ['SpotInterruption', 'OutOfMemory', 'TaskFailedToStart', 'InfrastructureHealth', 'never'] as const;
export type EndWord = (typeof END_WORDS)[number];

/** `atMs`: after the Job was created. */
export type UserAct = { readonly atMs: number } & (
  | { readonly kind: 'patch'; readonly patch: Readonly<Record<string, unknown>> }
  | { readonly kind: 'deletePod'; readonly index: number }
  | { readonly kind: 'delete' }
  | { readonly kind: IndexAction; readonly indexes: IndexSet }
);

export type ScriptError = {
  /** `attempts[0].run`; empty: the document itself. */
  readonly path: string;
  readonly message: string;
};

export type ParsedScript =
  | { readonly kind: 'ok'; readonly script: Script }
  | { readonly kind: 'refused'; readonly errors: readonly ScriptError[] };

/** Tasks run 1 s and exit with 0, start and stop at once, and users do nothing. */
export const NO_SCRIPT: Script = {
  attempts: [],
  user: [],
  limits: { launchesPerSec: null, startMs: 0, stopMs: 0 },
};

export const DEFAULT_RUN_MS = 1_000;

/** Reads a script as it came out of YAML or JSON; it is refused whole, with all that is wrong with it. */
export function parseScript(document: unknown): ParsedScript {
  const parsed = ScriptSchema.safeParse(document ?? {});
  if (parsed.success) return { kind: 'ok', script: parsed.data };
  return { kind: 'refused', errors: parsed.error.issues.flatMap(errorsOf) };
}

/** A year: what takes longer is not simulated. */
const DURATION_MAX_MS = 365 * 86_400_000;
const RULES_MAX = 10_000;
const NUMBERS_END = Number.MAX_SAFE_INTEGER;

const Duration = z
  .union([z.number(), z.string()], 'must be a length of time such as 5s, 2m, 1h30m or 250ms')
  .transform((given, context) => {
    const ms = typeof given === 'number' ? Math.ceil(given * 1000) : parseDuration(given);
    if (ms !== null && ms >= 0 && ms <= DURATION_MAX_MS) return ms;
    const message = `must be a length of time up to a year, such as 5s, 2m, 1h30m or 250ms, not ${JSON.stringify(given)}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

/** A number, numbers and ranges such as "0-3,7", or "*" (null). */
const Numbers = z
  .union([z.number(), z.string()], 'must be a number, ranges such as "0-3,7", or "*"')
  .transform((given, context) => {
    if (given === '*') return null;
    const read = parseIndexesStrict(String(given), NUMBERS_END);
    if (read.kind === 'ok' && read.set.edges.length > 0) return read.set;
    const why = read.kind === 'ok' ? 'it is empty' : read.reason;
    context.addIssue({ code: 'custom', message: `must be a number, ranges such as "0-3,7", or "*": ${why}` });
    return z.NEVER;
  });

const ExitCode = z.int('must be a whole number').min(0, 'must be 0 to 255').max(255, 'must be 0 to 255');

const Rule = z
  .strictObject({
    index: Numbers.optional(),
    attempt: Numbers.optional(),
    item: z.string().optional(),
    run: Duration.optional(),
    exitCode: ExitCode.optional(),
    exitCodes: z.record(z.string(), ExitCode).optional(),
    end: z.enum(END_WORDS, `must be one of ${END_WORDS.join(', ')}`).optional(),
  })
  .superRefine(({ exitCode, exitCodes, end }, context) => {
    const refuse = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
    if (exitCode !== undefined && exitCodes !== undefined) refuse('exitCodes', 'give exitCode or exitCodes, not both');
    if (exitCodes !== undefined && Object.keys(exitCodes).length === 0) refuse('exitCodes', 'names no container');
    if (exitCodes !== undefined && end !== undefined) refuse('exitCodes', `cannot be given with end: ${end}`);
    if (exitCode !== undefined && (end === 'never' || end === 'TaskFailedToStart'))
      refuse('exitCode', `cannot be given with end: ${end}: no program ends by itself`);
  })
  .transform(
    ({ index, attempt, item, run, exitCode, exitCodes, end }): FateRule => ({
      indexes: index ?? null,
      attempts: attempt ?? null,
      item: item ?? null,
      runMs: run ?? DEFAULT_RUN_MS,
      exit:
        end !== undefined
          ? { kind: end, exitCode: exitCode ?? null }
          : exitCodes !== undefined
            ? { kind: 'containersExit', exitCodes: new Map(Object.entries(exitCodes)) }
            : { kind: 'exits', exitCode: exitCode ?? 0 },
    }),
  );

const ACTS = ['patch', 'deletePod', 'delete', ...INDEX_ACTIONS] as const;

/** Numbers of indexes: "*" would need the Job. */
const Indexes = Numbers.transform((set, context) => {
  if (set !== null) return set;
  context.addIssue({ code: 'custom', message: 'must name the indexes, such as "0-3,7"' });
  return z.NEVER;
});

const Act = z
  .strictObject({
    at: Duration,
    patch: z
      .record(z.string(), z.unknown(), 'must be a merge patch of the Job, such as {spec: {suspend: true}}')
      .optional(),
    deletePod: z.strictObject({ index: z.int('must be a whole number').min(0, 'must be 0 or more') }).optional(),
    delete: z.literal(true, 'must be true').optional(),
    hold: Indexes.optional(),
    release: Indexes.optional(),
    cancel: Indexes.optional(),
    requeue: Indexes.optional(),
  })
  .transform((act, context): UserAct => {
    const given = ACTS.filter((name) => act[name] !== undefined);
    if (given.length !== 1) {
      const message = `must have one of ${ACTS.slice(0, -1).join(', ')} and ${ACTS.at(-1)}${given.length === 0 ? '' : `, not ${given.join(' and ')}`}`;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    }
    const { at: atMs, patch, deletePod } = act;
    if (patch !== undefined) return { atMs, kind: 'patch', patch };
    for (const action of INDEX_ACTIONS) {
      const indexes = act[action];
      if (indexes !== undefined) return { atMs, kind: action, indexes };
    }
    return deletePod === undefined ? { atMs, kind: 'delete' } : { atMs, kind: 'deletePod', index: deletePod.index };
  });

const ScriptSchema = z
  .strictObject({
    attempts: z.array(Rule).max(RULES_MAX).nullish(),
    user: z.array(Act).max(RULES_MAX).nullish(),
    limits: z
      .strictObject({
        launchesPerSecond: z.number('must be a number').min(0.1, 'must be 0.1 or more').optional(),
        startDelay: Duration.optional(),
        stopDelay: Duration.optional(),
      })
      .nullish(),
  })
  .transform(
    ({ attempts, user, limits }): Script => ({
      attempts: attempts ?? [],
      user: user ?? [],
      limits: {
        launchesPerSec: limits?.launchesPerSecond ?? null,
        startMs: limits?.startDelay ?? 0,
        stopMs: limits?.stopDelay ?? 0,
      },
    }),
  );

function errorsOf(issue: z.core.$ZodIssue): readonly ScriptError[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: pathOf([...issue.path, key]), message: 'unknown field' }));
  return [{ path: pathOf(issue.path), message: issue.message }];
}

/** `attempts[0].run` */
const pathOf = (path: readonly PropertyKey[]): string =>
  path.map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i === 0 ? '' : '.'}${String(part)}`)).join('');
