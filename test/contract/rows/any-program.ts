import fc from 'fast-check';
import { expect } from 'vitest';
import type { Condition } from '../../../shared/store/rows/condition.ts';
import {
  type AlarmPlace,
  FIELD,
  type Fields,
  type Range,
  type Refusal,
  type Row,
  type RowKey,
  type Rows,
  type Value,
  type Write,
} from '../../../shared/store/rows/row.ts';
import { draws } from '../../verify/draws.ts';
import { T0 } from '../store-under-test.ts';
import { PlainRows, inOrder } from './plain-rows.ts';

/** A step of a program. Ranges are walked, page by page. */
type Step =
  | { readonly kind: 'get'; readonly keys: readonly RowKey[] }
  | { readonly kind: 'write'; readonly write: Write }
  | { readonly kind: 'transact' | 'batch'; readonly writes: readonly Write[] }
  | { readonly kind: 'range'; readonly range: Range }
  | { readonly kind: 'alarms'; readonly shard: number; readonly until: number | null; readonly limit: number };

/** Few, so that writes meet. The last two have another order in UTF-16. */
const SORTS = ['A', 'A#1', 'B', 'a', 'é', '\uffee', '\u{1f600}'];
const PARTITIONS = ['p', 'p#', '\u{1f600}'];
const EDGES = ['', '\u0001', ...SORTS, 'A#', '\u{10ffff}'];
const SHARDS = 2;

/** Bytes that do not compress: three of them are more than half a page. */
export function noise(length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = seed;
  for (let n = 0; n < length; n++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[n] = state >>> 24;
  }
  return bytes;
}
const LARGE = noise(300_000);

const anyKey: fc.Arbitrary<RowKey> = fc.record({
  partition: fc.constantFrom(...PARTITIONS),
  sort: fc.constantFrom(...SORTS),
});
const anyKeys = (maxLength: number) =>
  fc.uniqueArray(anyKey, { minLength: 1, maxLength, comparator: (a, b) => inOrder(a, b) === 0 });

const aText = fc.constantFrom('', 'x', 'y');
const aNumber = fc.constantFrom(-1, 0, 1, 1.5, 2, 1e20);
const VALUES: Readonly<Record<string, fc.Arbitrary<Value>>> = {
  [FIELD.version]: aNumber,
  [FIELD.by]: aText,
  [FIELD.body]: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(new Uint8Array(), Uint8Array.of(0, 1, 255), new Uint8Array(2_000)) },
    { weight: 1, arbitrary: fc.constant(LARGE) },
  ),
  [FIELD.ttl]: fc.constantFrom(T0 / 1000 - 1, T0 / 1000, T0 / 1000 + 1_000),
  // A field that holds text in one row and a number in another.
  any: fc.oneof(aText, aNumber),
  [FIELD.alarmShard]: fc.nat(SHARDS - 1),
  [FIELD.alarmMinute]: fc.nat(3),
};
const NAMES = Object.keys(VALUES);

const someFields = fc.record(VALUES, { requiredKeys: [] }) as fc.Arbitrary<Fields>;
/** Many rows have an alarm. */
const anyFields: fc.Arbitrary<Fields> = fc.oneof(
  someFields,
  someFields.map((fields) => ({ [FIELD.alarmShard]: 0, [FIELD.alarmMinute]: 1, ...fields })),
);

const anyField = fc.constantFrom(...NAMES.filter((name) => name !== FIELD.body));
const simple: fc.Arbitrary<Condition> = fc.oneof(
  fc.constantFrom<Condition>({ op: 'absent' }, { op: 'exists' }),
  fc.record({ op: fc.constant('lacks' as const), field: fc.constantFrom(...NAMES) }),
  fc.record({ op: fc.constant('=' as const), field: anyField, value: fc.oneof(aText, aNumber) }),
  fc.record({ op: fc.constantFrom('<', '<=', '>'), field: anyField, value: aNumber }),
  fc.record({ op: fc.constant('=' as const), field: fc.constant(FIELD.version), value: aNumber }),
);
const several = (of: fc.Arbitrary<Condition>): fc.Arbitrary<Condition> =>
  fc.record({ op: fc.constantFrom('AND', 'OR'), all: fc.array(of, { minLength: 1, maxLength: 3 }) });
const anyCondition: fc.Arbitrary<Condition> = fc.oneof(simple, several(fc.oneof(simple, several(simple))));
/** Half of them hold for most rows, or nothing would ever be written. */
const perhaps = fc.oneof(fc.constant(undefined), fc.constant<Condition>({ op: 'lacks', field: 'no' }), anyCondition);

const anyPlain = (key: RowKey): fc.Arbitrary<Write> =>
  fc.oneof(
    { weight: 3, arbitrary: anyFields.map((fields) => ({ kind: 'put' as const, key, fields })) },
    { weight: 1, arbitrary: fc.constant({ kind: 'delete' as const, key }) },
  );
const anyChange = (key: RowKey): fc.Arbitrary<Write> =>
  fc
    .record({ set: anyFields, remove: fc.uniqueArray(fc.constantFrom(...NAMES, 'no'), { maxLength: 3 }) })
    .map(({ set, remove }) => ({
      kind: 'update' as const,
      key,
      set,
      remove: remove.filter((name) => !(name in set)),
    }));
const anyWrite = (key: RowKey): fc.Arbitrary<Write> =>
  fc
    .tuple(
      fc.oneof({ weight: 2, arbitrary: anyPlain(key) }, { weight: 2, arbitrary: anyChange(key) }),
      perhaps,
      fc.boolean(),
    )
    .map(([write, condition, returnOld]) => ({
      ...write,
      ...(condition === undefined ? {} : { condition, returnOld }),
    }));
const anyCheck = (key: RowKey): fc.Arbitrary<Write> =>
  fc.record({
    kind: fc.constant('check' as const),
    key: fc.constant(key),
    condition: fc.oneof(fc.constant<Condition>({ op: 'lacks', field: 'no' }), anyCondition),
    returnOld: fc.boolean(),
  });
const eachOf = (keys: readonly RowKey[], write: (key: RowKey) => fc.Arbitrary<Write>): fc.Arbitrary<readonly Write[]> =>
  fc.tuple(...keys.map(write));

const anyRange: fc.Arbitrary<Range> = fc
  .record({
    partition: fc.constantFrom(...PARTITIONS),
    from: fc.constantFrom(...EDGES),
    to: fc.constantFrom(...EDGES.slice(1), '\u{10ffff}', '\u{10ffff}'),
    limit: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    reverse: fc.boolean(),
    isEventual: fc.boolean(),
    keysOnly: fc.boolean(),
    sort: fc.option(fc.constantFrom(...SORTS)),
  })
  .map(({ limit, sort, ...range }) => {
    const after = sort === null ? null : { partition: range.partition, sort };
    const isInside =
      sort !== null &&
      [range.from, sort, range.to].every(
        (each, n, all) => n === 0 || Buffer.compare(Buffer.from(all[n - 1] ?? ''), Buffer.from(each)) <= 0,
      );
    return { ...range, ...(limit === undefined ? {} : { limit }), after: isInside ? after : null };
  });

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: anyKey.chain(anyWrite).map((write) => ({ kind: 'write' as const, write })) },
  {
    weight: 4,
    arbitrary: anyKeys(4)
      .chain((keys) =>
        eachOf(keys, (key) =>
          fc.oneof({ weight: 3, arbitrary: anyWrite(key) }, { weight: 1, arbitrary: anyCheck(key) }),
        ),
      )
      .map((writes) => ({ kind: 'transact' as const, writes })),
  },
  {
    weight: 2,
    arbitrary: anyKeys(6)
      .chain((keys) => eachOf(keys, anyPlain))
      .map((writes) => ({ kind: 'batch' as const, writes })),
  },
  { weight: 2, arbitrary: anyKeys(6).map((keys) => ({ kind: 'get' as const, keys })) },
  { weight: 4, arbitrary: anyRange.map((range) => ({ kind: 'range' as const, range })) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('alarms' as const),
      shard: fc.nat(SHARDS - 1),
      until: fc.constantFrom(null, 0, 1.5, 3),
      limit: fc.integer({ min: 1, max: 4 }),
    }),
  },
);

let programs = 0;

/** Random programs have the same answers, and leave the same rows, as on a map. `most`: how many are drawn in `npm run verify`. */
export async function expectAnyProgram(rows: Rows, most: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 25, size: 'max' }), async (steps) => {
      const nth = ++programs;
      const plain = new PlainRows();
      const ALL = PARTITIONS.map(
        (partition) => ({ kind: 'range', range: { partition, from: '', to: '\u{10ffff}' } }) as const,
      );
      const PLACES = [0, 1].map((shard) => ({ kind: 'alarms', shard, until: null, limit: 100 }) as const);
      for (const [at, step] of [...steps, ...ALL, ...PLACES].entries()) {
        const own = ownOf(step, nth);
        expect(await answerOf(rows, own, `program-${nth}-${at}`), `step ${at}`).toEqual(shown(plainAnswer(plain, own)));
      }
    }),
    { numRuns: draws(most) },
  );
}

/** The step in partitions and shards of this program alone. */
function ownOf(step: Step, nth: number): Step {
  const partitionOf = (partition: string) => `${nth}/${partition}`;
  const keyOf = ({ partition, sort }: RowKey) => ({ partition: partitionOf(partition), sort });
  const shardOf = (shard: number) => nth * SHARDS + shard;
  const fieldsOf = (fields: Fields): Fields => {
    const { [FIELD.alarmShard]: shard } = fields;
    return typeof shard === 'number' ? { ...fields, [FIELD.alarmShard]: shardOf(shard) } : fields;
  };
  const writeOf = (write: Write): Write => {
    const key = keyOf(write.key);
    if (write.kind === 'put') return { ...write, key, fields: fieldsOf(write.fields) };
    return write.kind === 'update' ? { ...write, key, set: fieldsOf(write.set) } : { ...write, key };
  };
  switch (step.kind) {
    case 'get':
      return { ...step, keys: step.keys.map(keyOf) };
    case 'write':
      return { ...step, write: writeOf(step.write) };
    case 'transact':
    case 'batch':
      return { ...step, writes: step.writes.map(writeOf) };
    case 'range': {
      const { after = null, partition } = step.range;
      return {
        ...step,
        range: { ...step.range, partition: partitionOf(partition), after: after === null ? null : keyOf(after) },
      };
    }
    case 'alarms':
      return { ...step, shard: shardOf(step.shard) };
  }
}

function plainAnswer(plain: PlainRows, step: Step): unknown {
  switch (step.kind) {
    case 'get':
      return step.keys
        .map((key) => plain.get(key))
        .filter((row) => row !== null)
        .toSorted(byKey);
    case 'write':
      return plain.transact([step.write])?.[0] ?? null;
    case 'transact':
      return plain.transact(step.writes);
    case 'batch':
      return plain.transact(step.writes) ?? [];
    case 'range':
      return plain.range(step.range);
    case 'alarms':
      return plain.alarms(step);
  }
}

async function answerOf(rows: Rows, step: Step, token: string): Promise<unknown> {
  switch (step.kind) {
    case 'get': {
      const answer = await rows.get(step.keys);
      expect(answer.unread).toEqual([]);
      return shown(answer.rows.toSorted(byKey));
    }
    case 'write':
      return shown(await rows.write(step.write));
    case 'transact':
      return shown(await rows.transact(token, step.writes));
    case 'batch':
      return rows.batch(step.writes);
    case 'range':
      return shown(await walk(rows, step.range));
    case 'alarms':
      return walkAlarms(rows, step);
  }
}

const byKey = (a: Row, b: Row): number => inOrder(a.key, b.key);

/** All rows of a range, page by page; no page has more than its limit. */
export async function walk(rows: Rows, range: Range): Promise<readonly Row[]> {
  const found: Row[] = [];
  let after = range.after ?? null;
  for (let pages = 0; pages < 100; pages++) {
    const page = await rows.range({ ...range, after });
    expect(page.rows.length).toBeLessThanOrEqual(range.limit ?? Number.POSITIVE_INFINITY);
    found.push(...page.rows);
    after = page.next;
    if (after === null) return found;
  }
  throw new Error('the range has no end');
}

/** All places of a shard, by their minute, and within it by their key: of that, DynamoDB says nothing. */
export async function walkAlarms(
  rows: Rows,
  range: { readonly shard: number; readonly until: number | null; readonly limit: number },
): Promise<readonly AlarmPlace[]> {
  const found: AlarmPlace[] = [];
  let after: AlarmPlace | null = null;
  for (let pages = 0; pages < 100; pages++) {
    const { alarms, next } = await rows.alarms({ ...range, after });
    expect(alarms.length).toBeLessThanOrEqual(range.limit);
    found.push(...alarms);
    after = next;
    if (after !== null) continue;
    const minutes = found.map(({ minute }) => minute);
    expect(minutes).toEqual(minutes.toSorted((a, b) => a - b));
    return found.toSorted((a, b) => a.minute - b.minute || inOrder(a.key, b.key));
  }
  throw new Error('the index has no end');
}

/** The same with bytes as text, whatever class holds them, and without what only errors need. */
export function shown(answer: unknown): unknown {
  if (answer instanceof Uint8Array) return `bytes ${Buffer.from(answer).toString('latin1')}`;
  if (Array.isArray(answer)) return answer.map(shown);
  if (typeof answer !== 'object' || answer === null) return answer;
  return Object.fromEntries(
    Object.entries(answer as Row | Refusal).flatMap(([name, value]) =>
      typeof value === 'function' ? [] : [[name, shown(value)]],
    ),
  );
}
