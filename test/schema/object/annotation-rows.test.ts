import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { asEpochMs } from '../../../shared/domain/base/time.ts';
import { type Annotation, needText } from '../../../shared/domain/manifests/annotations/annotation.ts';
import { ANNOTATION_ROWS } from '../../../shared/domain/manifests/annotations/rows.ts';
import { annotationsOnPage } from './annotations-on-page.ts';
import { annotationChangeErrors, annotationNeedErrors } from '../../../shared/schema/job/added-rules.ts';
import { admitJob } from '../../../shared/schema/job/job-manifest.ts';
import { jsonFieldsOf } from '../../../shared/schema/kinds/json-fields-of.ts';
import { KINDS } from '../../../shared/schema/kinds/kinds.ts';

const ROOT = join(import.meta.dirname, '../../..');
const ROWS_FOLDERS = /^shared\/(domain\/manifests|capabilities\/[^/]+)\/annotations\//;
const ALL: readonly Annotation[] = Object.values(ANNOTATION_ROWS).flat();
const OTHERS: readonly Annotation[] = (() => {
  const { Job: _jobs, Pod: _pods, ...others } = ANNOTATION_ROWS;
  return Object.values<readonly Annotation[]>(others).flat();
})();
const KEYS = ALL.map(({ key }) => key);

const CONTEXT = { namespace: 'default', uid: 'u-1', nameSuffix: 'abcde', fieldValidation: 'Strict' } as const;
const TEMPLATE = {
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'any', command: ['a'] }] },
};
const admittedJob = (annotations: Readonly<Record<string, string>>) =>
  admitJob(
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'a', annotations },
      spec: { completions: 3, completionMode: 'Indexed', backoffLimitPerIndex: 1, template: TEMPLATE },
    },
    { ...CONTEXT, list: { kind: 'absent' } },
  );
type Answer = {
  readonly kind: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
};
/** What is wrong with an annotation. */
const faultsOf = ({ errors = [] }: Answer, key: string): readonly string[] =>
  errors.filter(({ path }) => path === `metadata.annotations[${key}]`).map(({ message }) => message);
/** What its row says to an empty text, which no annotation may be. */
const wrong = ({ rule }: Annotation): unknown => {
  if (rule === undefined) return expect.any(String);
  return typeof rule === 'string' ? rule : rule('');
};

test('no key, no field of a Job, and no explanation stands twice', () => {
  const fields = ANNOTATION_ROWS.Job.flatMap(({ field }) => field ?? []);
  for (const names of [KEYS, fields, ALL.map(({ explains }) => explains)])
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  expect(KEYS.filter((key) => !/^muster\.run\/[a-z][-a-z]*[a-z]$/.test(key))).toEqual([]);
});

describe('admission', () => {
  const written = ANNOTATION_ROWS.Job.filter(({ setBy }) => setBy === undefined);
  const ofServer = ALL.filter(({ setBy }) => setBy === 'server');

  test.each(written.map((row) => [row.key, row] as const))('%s of a Job is never empty', (key, row) => {
    expect(faultsOf(admittedJob({ [key]: '' }), key)).toContainEqual(wrong(row));
  });

  test.each(OTHERS.map(({ key }) => key))('%s of another kind is unknown to a Job', (key) => {
    expect(faultsOf(admittedJob({ [key]: '' }), key)).toEqual([expect.stringContaining('unknown annotation')]);
  });

  test.each(ofServer.map(({ key }) => key))('nobody but the server sets %s', (key) => {
    expect(faultsOf(admittedJob({ [key]: 'a' }), key)).toEqual([
      expect.stringMatching(/^unknown annotation|the server sets it/),
    ]);
  });
});

describe('what a Job must have besides', () => {
  const needing = ANNOTATION_ROWS.Job.flatMap(({ key, needs = [] }) => needs.map((need) => [key, need] as const));

  test.each(needing)('%s names fields and annotations that there are', (key, need) => {
    for (const path of need.anyOf) expect([key, path, KEYS.includes(path) || isField('Job', path)]).toContain(true);
  });

  test.each(needing)('%s is refused without it, and with it is not', (key, need) => {
    const faults = (annotations: object, spec: object = {}) =>
      faultsOf({ kind: '', errors: annotationNeedErrors({ [key]: 'a', ...annotations }, spec) }, key);
    // Only some values of those with `unless` need it, and `a` is none.
    expect(faults({}).includes(needText(need))).toBe(need.unless === undefined);
    for (const path of need.anyOf) {
      const there = path.startsWith('spec.') ? [{}, specWith(path, need.is ?? 'any')] : [{ [path]: 'any' }];
      expect(faults(there[0] ?? {}, there[1])).not.toContain(needText(need));
    }
  });
});

test.each(ANNOTATION_ROWS.Job.map((row) => [row.key, row.immutable] as const))(
  'a stored Job keeps %s: %s',
  (key, immutable) => {
    const was = '2026-01-31T12:00:00Z';
    const manifest = { metadata: { name: 'a', namespace: 'default', annotations: { [key]: was } } };
    const changes = (started: boolean, now: number) =>
      annotationChangeErrors({ [key]: 'b' }, { manifest, started, now: asEpochMs(now) }).length;
    const at = Date.parse(was);
    expect([changes(false, at - 1), changes(true, at - 1), changes(false, at)]).toEqual(
      { always: [1, 1, 1], never: [0, 0, 0], ruled: [0, 0, 0], onceStarted: [0, 1, 0], oncePassed: [0, 0, 1] }[
        immutable
      ],
    );
  },
);

describe('users read of each', () => {
  const explained = (type: string, field: string): string => fieldsOf(type).get(field)?.description ?? '';

  test.each(ALL.map(({ key, explains }) => [key, explains] as const))('%s in kubectl explain', (key, explains) => {
    expect(explained('ObjectMeta', 'annotations')).toContain(`${key} (${explains})`);
    expect(explains).toMatch(/^.{10,110}$/);
  });

  test('those of a Job and of a Pod at their metadata', () => {
    const named = (type: string) => explained(type, 'metadata').match(/muster\.run\/[-a-z]+/g);
    expect(named('Job')).toEqual(ANNOTATION_ROWS.Job.flatMap(({ key, setBy }) => (setBy === undefined ? [key] : [])));
    expect(named('Pod')).toEqual(ANNOTATION_ROWS.Pod.map(({ key }) => key));
  });

  test('all of them in the tables of docs/job-manifests.md', () => {
    expect(annotationsOnPage()).toEqual(expect.arrayContaining([...KEYS]));
  });
});

test('no text of the program writes a key out, except the rows', () => {
  const one = new RegExp(`(?:${KEYS.map((key) => key.replace('.', '\\.')).join('|')})(?![-\\w])`);
  const files = ['shared', 'cli', 'local'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
  );
  const isSource = (path: string) => path.endsWith('.ts') && !ROWS_FOLDERS.test(path) && !path.includes('/test/');
  const sources = files.filter(isSource);
  expect(sources.length).toBeGreaterThan(500);
  expect(
    sources.flatMap((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8');
      return one.test(text)
        ? textsIn(path, text)
            .filter((each) => one.test(each))
            .map((each) => `${path}: ${each}`)
        : [];
    }),
  ).toEqual([]);
});

/** The texts of a source, without its comments. */
function textsIn(path: string, text: string): readonly string[] {
  const found: string[] = [];
  const look = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      found.push(node.text);
    ts.forEachChild(node, look);
  };
  look(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
  return found;
}

function fieldsOf(type: string) {
  return new Map(jsonFieldsOf(KINDS, type));
}

/** Whether a path such as `spec.template.spec` leads to a field. */
function isField(type: string, path: string): boolean {
  const [name = '', ...rest] = path.split('.');
  const field = fieldsOf(type).get(name);
  if (field === undefined) return false;
  return rest.length === 0 || (field.type.is === 'object' && isField(field.type.of, rest.join('.')));
}

const specWith = (path: string, value: unknown): object =>
  path
    .split('.')
    .slice(1)
    .reduceRight((inner, name) => ({ [name]: inner }), value) as object;
