import { type Operation, applyPatch } from 'rfc6902';
import { isList, isObject, own, sameJson } from './json-value.ts';
import type { Patched } from './patch-outcome.ts';

/** As in the API server (`maxJSONPatchOperations`). */
const OPERATIONS_MAX = 10_000;
/** What `copy` and `move` may touch in one patch; the API server allows copies of 3 MiB. */
const TOUCHED_VALUES_MAX = 200_000;
/** Deeper documents would overflow recursive walks. Parsed bodies are not deeper either. */
const LEVELS_MAX = 100;

const OPERATIONS: ReadonlySet<unknown> = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test']);
/** The document is under this key while it is patched, so that its root has a parent too. */
const ROOT = 'root';

/** Applies a JSON patch (RFC 6902), all or nothing; `current` does not change. Never throws. */
export function jsonPatch(current: unknown, patch: unknown): Patched {
  if (!isList(patch)) return bad(`error decoding patch: json: cannot unmarshal ${jsonKind(patch)} into an array`);
  if (patch.length > OPERATIONS_MAX) {
    const message = `The allowed maximum operations in a JSON patch is ${OPERATIONS_MAX}, got ${patch.length}`;
    return { kind: 'tooLarge', message };
  }
  const steps: Step[] = [];
  for (const [i, said] of patch.entries()) {
    const step = readStep(said);
    if (typeof step === 'string') return bad(`error decoding patch: operation ${i}: ${step}`);
    steps.push(step);
  }
  const holder = { [ROOT]: structuredClone(current) };
  const budget = { left: TOUCHED_VALUES_MAX };
  for (const step of steps) {
    const fieldError = perform(holder, step, budget);
    if (fieldError !== null) return inapplicable(fieldError);
  }
  const document: unknown = holder[ROOT];
  return document === undefined ? inapplicable('nothing is left of the document') : { kind: 'patched', document };
}

type Step =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly path: string; readonly from: string };

/** One operation according to RFC 6902 section 4, or what is wrong with it. Other keys are ignored. */
function readStep(said: unknown): Step | string {
  if (!isObject(said)) return `cannot unmarshal ${jsonKind(said)} into an operation`;
  const op = own(said, 'op');
  const path = own(said, 'path');
  const from = own(said, 'from');
  if (!isOp(op)) return `unexpected kind: ${JSON.stringify(op) ?? 'unknown'}`;
  if (!isPointer(path)) return `path must be a JSON pointer of at most ${LEVELS_MAX} steps`;
  if (op === 'remove') return { op, path };
  if (op === 'move' || op === 'copy') {
    return isPointer(from) ? { op, path, from } : `from must be a JSON pointer of at most ${LEVELS_MAX} steps`;
  }
  return Object.hasOwn(said, 'value') ? { op, path, value: own(said, 'value') } : 'value is missing';
}

const isOp = (op: unknown): op is Step['op'] => OPERATIONS.has(op);

const isPointer = (path: unknown): path is string =>
  typeof path === 'string' && /^(?:\/(?:[^~/]|~[01])*)*$/.test(path) && levelsOf(path) <= LEVELS_MAX;

const levelsOf = (pointer: string): number => pointer.split('/').length - 1;

/** Changes the holder's contents; returns why it cannot. */
function perform(holder: { readonly [ROOT]: unknown }, step: Step, budget: { left: number }): string | null {
  if (step.op === 'test') {
    const found = valueAt(holder, step.path);
    if (found === undefined) return `testing path ${step.path} failed: it is not there`;
    return sameJson(found, step.value) ? null : `testing value ${step.path} failed: test failed`;
  }
  const put = putBy(holder, step);
  if (put === undefined) return `${step.op} operation does not apply: doc is missing from path`;
  if (!isReachable(holder, step)) return `${step.op} operation does not apply: ${step.path || 'the whole document'}`;
  const levels = levelsWithin(put, LEVELS_MAX - levelsOf(step.path), budget);
  if (levels === 'deep') return `${step.op} operation does not apply: nested deeper than ${LEVELS_MAX} levels`;
  if (levels === 'spent') return `${step.op} operation does not apply: the patch copies too much`;
  const [failure] = attempt(holder, rooted(step));
  return failure === null ? null : `${step.op} operation does not apply: ${step.path || 'the whole document'}`;
}

function attempt(holder: object, operation: Operation): readonly (Error | null)[] {
  try {
    return applyPatch(holder, [operation]);
  } catch (error) {
    return [error instanceof Error ? error : new Error('unknown')]; // it throws for invalid pointers
  }
}

/** What the operation puts at its path. null: nothing; undefined: it does not exist. */
function putBy(holder: { readonly [ROOT]: unknown }, step: Step): unknown {
  if ('from' in step) return valueAt(holder, step.from);
  return 'value' in step ? step.value : null;
}

function rooted(step: Step): Operation {
  const path = `/${ROOT}${step.path}`;
  if ('from' in step) return { op: step.op, path, from: `/${ROOT}${step.from}` };
  return 'value' in step ? { op: step.op, path, value: step.value } : { op: step.op, path };
}

/** Checked before the library, which treats inherited properties (`constructor`) as the object's own. */
function isReachable(holder: { readonly [ROOT]: unknown }, { op, path }: Step): boolean {
  if (path === '') return true;
  if (op === 'remove' || op === 'replace') return valueAt(holder, path) !== undefined;
  const parent = valueAt(holder, path.slice(0, path.lastIndexOf('/')));
  return isObject(parent) || isList(parent);
}

/** undefined: missing. */
function valueAt(holder: { readonly [ROOT]: unknown }, pointer: string): unknown {
  let value: unknown = holder[ROOT];
  for (const escaped of pointer.split('/').slice(1)) {
    const step = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
    if (isList(value)) value = /^(?:0|[1-9]\d*)$/.test(step) ? value[Number(step)] : undefined;
    else value = isObject(value) ? own(value, step) : undefined;
  }
  return value;
}

/** Walks without recursion, because this check protects others from deep recursion. */
function levelsWithin(value: unknown, levelsMax: number, budget: { left: number }): 'fits' | 'deep' | 'spent' {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levelsMax) return 'deep';
    budget.left -= level.length;
    if (budget.left < 0) return 'spent';
    level = level.flatMap((each) => {
      if (isList(each)) return each;
      return isObject(each) ? Object.values(each) : [];
    });
  }
  return 'fits';
}

const jsonKind = (value: unknown): string => {
  if (isList(value)) return 'array';
  return value === null ? 'null' : typeof value;
};

const bad = (message: string): Patched => ({ kind: 'bad', message });

/** Upstream says no more than this; the cause has the details. */
const inapplicable = (why: string): Patched => ({
  kind: 'inapplicable',
  message: 'the server rejected our request due to an error in our request',
  causes: [{ reason: 'FieldValueInvalid', message: why, field: 'patch' }],
});
