import { distance } from 'fastest-levenshtein';
import { jsonFieldsOf } from '../../shared/schema/kinds/json-fields-of.ts';
import type { Field, FieldType } from '../../shared/schema/kinds/kind-table.ts';
import { KINDS } from '../../shared/schema/kinds/kinds.ts';
import { type ApiFailure, Failure } from './failure.ts';
import type { Manifest } from './manifest-file.ts';
import { onOneLine } from '../text/table.ts';

/** Kubernetes' words for what `fieldValidation=Strict` finds. */
const STRICT = 'strict decoding error: ';
const UNKNOWN_FIELD = /^unknown field "(.+)"$/;

/**
 * Adds hints to fields that the server does not know: the line in the file, and the field that may be meant. Returns other
 * refusals unchanged.
 */
export function explainUnknownFields(refusal: ApiFailure, { lineOf }: Manifest): Failure {
  const [, list] = refusal.status.message.split(STRICT);
  const errors = [...new Set(list?.split(', ') ?? [])];
  const paths = errors.flatMap((fieldError) => UNKNOWN_FIELD.exec(fieldError)?.[1] ?? []);
  if (paths.length === 0 || paths.length < errors.length) return refusal;
  const lines = paths.map((path) => {
    const line = lineOf(path);
    return onOneLine(`${line === null ? '' : `line ${line}: `}unknown field ${JSON.stringify(path)}${hintFor(path)}`);
  });
  const head = `Error from server (${refusal.status.reason}):`;
  return new Failure(
    lines.length === 1 ? `${head} ${lines[0]}` : [head, ...lines.map((each) => `* ${each}`)].join('\n'),
  );
}

const JOB = 'Job';
/** What every object has in addition to its fields. */
const OF_ALL: readonly string[] = ['apiVersion', 'kind'];
/** With more changed letters, it is another word. */
const CHANGES_MAX = 3;

/** `, did you mean "completions"?`; empty if no field is similar. */
function hintFor(path: string): string {
  const steps = path.split('.').map((step) => step.replace(/\[\d+\]$/, ''));
  const wrong = steps.at(-1) ?? '';
  const levels = levelsOf(steps.slice(0, -1));
  const here = levels.at(-1)?.names ?? [];
  const [nearest] = here
    .map((name) => ({ name, changes: distance(name.toLowerCase(), wrong.toLowerCase()) }))
    .filter(({ name, changes }) => changes <= Math.min(CHANGES_MAX, name.length / 3))
    .toSorted((a, b) => a.changes - b.changes);
  if (nearest !== undefined) return `, did you mean ${JSON.stringify(nearest.name)}?`;
  const home = levels.findLast(({ names }) => names.includes(wrong));
  return home === undefined ? '' : `; it belongs in ${home.path === '' ? 'the Job itself' : JSON.stringify(home.path)}`;
}

type Level = { readonly path: string; readonly names: readonly string[] };

/** The known fields at each level of a path, as far as its parts are known. */
function levelsOf(steps: readonly string[]): readonly Level[] {
  const levels: Level[] = [];
  let type: string | null = JOB;
  for (let depth = 0; type !== null; depth++) {
    const fields: readonly (readonly [string, Field])[] = jsonFieldsOf(KINDS, type);
    const names = fields.filter(([, { served }]) => served !== false).map(([name]) => name);
    levels.push({ path: steps.slice(0, depth).join('.'), names: depth === 0 ? [...OF_ALL, ...names] : names });
    const step = steps[depth];
    const next = fields.find(([name]) => name === step)?.[1];
    if (step === undefined) return levels;
    if (next === undefined) return [];
    type = objectOf(next.type);
  }
  return [];
}

function objectOf(type: FieldType): string | null {
  if (type.is === 'object') return type.of;
  return type.is === 'list' || type.is === 'map' ? objectOf(type.of) : null;
}
