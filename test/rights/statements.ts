import type { Deployed } from '../cdk/template.ts';
import { ref } from '../cdk/template.ts';
import type { NeededRight } from './needed-rights.ts';

/** One of our functions. */
export type FunctionName = 'api' | 'reconcile' | 'dispatch' | 'sweep' | 'submit';
export const FUNCTIONS: readonly FunctionName[] = ['api', 'reconcile', 'dispatch', 'sweep', 'submit'];

/** What a function may do, with ARNs instead of references: `conditions` by operator, then by key. */
export type Statement = {
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
};
export type Statements = Readonly<Record<FunctionName, readonly Statement[]>>;

/** How what the template makes is called where the functions run: by logical id, what `Ref` and what each `Fn::GetAtt` gives. */
export type Names = ReadonlyMap<string, Readonly<Record<string, string>>>;

/** The statements of each function's own role. */
export function statementsOf(template: Deployed, names: Names): Statements {
  const of = (name: FunctionName): readonly Statement[] =>
    template.rightsOf(name).map(({ actions, resources, condition }) => ({
      actions,
      resources: resources.map((each) => resolved(each, names)),
      conditions: mapValues((condition ?? {}) as Record<string, Record<string, unknown>>, (keys) =>
        mapValues(keys, (value) => [value].flat().map((each) => resolved(each, names))),
      ),
    }));
  return {
    api: of('api'),
    reconcile: of('reconcile'),
    dispatch: of('dispatch'),
    sweep: of('sweep'),
    submit: of('submit'),
  };
}

const mapValues = <T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U): Readonly<Record<string, U>> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));

const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::Partition': 'aws',
  'AWS::Region': 'us-east-1',
  'AWS::AccountId': '000000000000',
};

/** The text that CloudFormation would put in; `<id>` for what nobody has named. */
export function resolved(value: unknown, names: Names): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if ('Fn::Join' in value) {
    const [between, parts] = value['Fn::Join'] as [string, readonly unknown[]];
    return parts.map((part) => resolved(part, names)).join(between);
  }
  const id = ref(value);
  const attribute = 'Fn::GetAtt' in value ? String((value['Fn::GetAtt'] as readonly unknown[])[1]) : 'Ref';
  return PSEUDO[id] ?? names.get(id)?.[attribute] ?? `<${id}.${attribute}>`;
}

/** Which of the statements allow the right on every resource that it names; null: at least one resource is denied. */
export function allowing(statements: readonly Statement[], right: NeededRight): readonly Statement[] | null {
  const found: Statement[] = [];
  for (const resource of right.resources) {
    const statement = statements.find(
      ({ actions, resources, conditions }) =>
        actions.includes(right.action) &&
        resources.some((pattern) => isLike(resource, pattern)) &&
        Object.entries(conditions).every(([operator, keys]) =>
          Object.entries(keys).every(([key, wanted]) => holds(operator, wanted, right.context[key])),
        ),
    );
    if (statement === undefined) return null;
    found.push(statement);
  }
  return found;
}

/** `*` in a call is everything, which only `*` allows. In a pattern `*` is any text, and `?` any character. */
const isLike = (resource: string, pattern: string): boolean =>
  pattern === '*' ||
  new RegExp(
    `^${pattern
      .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
  ).test(resource);

/** IAM User Guide, "IAM JSON policy elements: Condition operators", those that the template uses. */
function holds(operator: string, wanted: readonly string[], given: string | readonly string[] | undefined): boolean {
  const [quantifier, comparison = quantifier] = operator.includes(':') ? operator.split(':') : [null, operator];
  const isOptional = comparison?.endsWith('IfExists') ?? false;
  const same = COMPARISONS[(comparison ?? '').replace(/IfExists$/, '')];
  if (same === undefined) throw new Error(`test/rights/statements.ts does not know the condition operator ${operator}`);
  const matches = (value: string): boolean => wanted.some((each) => same(value, each));
  if (quantifier === 'ForAllValues') return (given === undefined ? [] : [given].flat()).every(matches);
  if (given === undefined) return isOptional;
  if (quantifier === 'ForAnyValue') return [given].flat().some(matches);
  // A key with several values is never equal to one.
  return typeof given === 'string' && matches(given);
}

const COMPARISONS: Readonly<Record<string, (value: string, wanted: string) => boolean>> = {
  StringEquals: (value, wanted) => value === wanted,
  ArnEquals: isLike,
  ArnLike: isLike,
};
