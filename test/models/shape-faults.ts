import type { ServiceModel, Shape } from './service-model.ts';

/** How timestamps are written: AWS JSON has seconds since 1970, events have ISO 8601. */
export type Timestamps = 'seconds' | 'iso';

/** A fault that says where: `overrides.cpu: is not a string`. */
type Fault = string;

/** Where a value breaks the shape of that name; none: it keeps it. Pure. */
export function shapeFaults(
  { shapes }: Pick<ServiceModel, 'shapes'>,
  name: string,
  value: unknown,
  { at = '', timestamps = 'seconds' }: { readonly at?: string; readonly timestamps?: Timestamps } = {},
): readonly Fault[] {
  const shape = shapes[name];
  if (shape === undefined) return [`${at}: the model has no shape ${name}`];
  if (shape.document === true) return [];
  const inner = (of: { readonly shape: string } | undefined, each: unknown, where: string): readonly Fault[] =>
    of === undefined ? [] : shapeFaults({ shapes }, of.shape, each, { at: where, timestamps });
  switch (shape.type) {
    case 'structure':
      return structureFaults(shape, value, at, inner);
    case 'list':
      if (!Array.isArray(value)) return [`${at}: is no list`];
      return [
        ...rangeFaults(shape, value.length, at, 'elements'),
        ...value.flatMap((each, nth) => inner(shape.member, each, `${at}[${nth}]`)),
      ];
    case 'map':
      if (!isObject(value)) return [`${at}: is no map`];
      return [
        ...rangeFaults(shape, Object.keys(value).length, at, 'entries'),
        ...Object.entries(value).flatMap(([key, each]) => [
          ...inner(shape.key, key, `${at}{${key}}`),
          ...inner(shape.value, each, `${at}.${key}`),
        ]),
      ];
    case 'timestamp':
      return timestampFaults(value, at, timestamps);
    default:
      return simpleFaults(shape, value, at);
  }
}

function structureFaults(
  { members = {}, required = [], union = false }: Shape,
  value: unknown,
  at: string,
  inner: (of: { readonly shape: string } | undefined, each: unknown, where: string) => readonly Fault[],
): readonly Fault[] {
  if (!isObject(value)) return [`${at}: is no structure`];
  const place = (name: string): string => (at === '' ? name : `${at}.${name}`);
  const given = Object.keys(value);
  return [
    ...required.filter((name) => !given.includes(name)).map((name) => `${place(name)}: is required`),
    ...given.filter((name) => !Object.hasOwn(members, name)).map((name) => `${place(name)}: is no member`),
    ...(union && given.length !== 1 ? [`${at}: has ${given.length} members of a union`] : []),
    ...given.flatMap((name) => (Object.hasOwn(members, name) ? inner(members[name], value[name], place(name)) : [])),
  ];
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function simpleFaults(shape: Shape, value: unknown, at: string): readonly Fault[] {
  switch (shape.type) {
    case 'string':
      return typeof value === 'string' ? textFaults(shape, value, at) : [`${at}: is no string`];
    case 'blob':
      if (typeof value !== 'string' || !BASE64.test(value)) return [`${at}: is no base64`];
      return rangeFaults(shape, Buffer.from(value, 'base64').length, at, 'bytes');
    case 'integer':
    case 'long':
      if (!Number.isSafeInteger(value)) return [`${at}: is no ${shape.type}`];
      return rangeFaults(shape, Number(value), at);
    case 'float':
    case 'double':
      return typeof value === 'number' ? rangeFaults(shape, value, at) : [`${at}: is no number`];
    case 'boolean':
      return typeof value === 'boolean' ? [] : [`${at}: is no boolean`];
    default:
      return [`${at}: the model has the type ${shape.type}, which nothing here checks`];
  }
}

function textFaults(shape: Shape, value: string, at: string): readonly Fault[] {
  const shown = value.length > 60 ? `${value.slice(0, 60)}…` : value;
  return [
    ...rangeFaults(shape, Array.from(value).length, at, 'characters'),
    ...(shape.enum !== undefined && !shape.enum.includes(value) ? [`${at}: ${shown} is not in the enum`] : []),
    ...(shape.pattern !== undefined && !patternOf(shape.pattern).test(value)
      ? [`${at}: ${shown} does not match ${shape.pattern}`]
      : []),
  ];
}

function timestampFaults(value: unknown, at: string, timestamps: Timestamps): readonly Fault[] {
  if (timestamps === 'seconds') return typeof value === 'number' ? [] : [`${at}: is no number of seconds`];
  const isIso = typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value);
  return isIso ? [] : [`${at}: is no ISO 8601 time`];
}

function rangeFaults({ min, max }: Shape, size: number, at: string, unit = ''): readonly Fault[] {
  const what = unit === '' ? String(size) : `${size} ${unit}`;
  if (min !== undefined && size < min) return [`${at}: ${what}, at least ${min}`];
  return max !== undefined && size > max ? [`${at}: ${what}, at most ${max}`] : [];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Models escape characters that need it in no expression, which JavaScript refuses where it reads Unicode. */
const patternOf = (pattern: string): RegExp => new RegExp(pattern.replaceAll(/\\([!=@_:,;#~%&"'<> ])/g, '$1'), 'u');
