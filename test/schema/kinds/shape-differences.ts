import * as z from 'zod';
import { jsonFieldsOf, typeOf } from '../../../shared/schema/kinds/json-fields-of.ts';
import type { FieldType } from '../../../shared/schema/kinds/kind-table.ts';
import { KINDS } from '../../../shared/schema/kinds/kinds.ts';

/** Where a shape and a type of the table do not know the same; `seen` gets every path that was compared. */
export function differences(
  shape: z.core.$ZodType,
  type: FieldType,
  path: string,
  seen: string[],
  former: Readonly<Record<string, readonly string[]>> = {},
): readonly string[] {
  const inner = unwrapped(shape);
  seen.push(path);
  if (inner instanceof z.ZodObject) {
    if (type.is !== 'object') return [`${path}: an object, not ${type.is}`];
    const fields = jsonFieldsOf(KINDS, type.of);
    const own = typeOf(KINDS, type.of).apiVersion === undefined ? [] : ['apiVersion', 'kind'];
    const known = Object.keys(inner.shape).filter((key) => former[type.of]?.includes(key) !== true);
    const [here, there] = [[...own, ...fields.map(([key]) => key)].toSorted(), known.toSorted()];
    if (here.join() !== there.join()) return [`${path}: ${here.join()} against ${there.join()}`];
    return fields.flatMap(([key, field]) =>
      differences(inner.shape[key] as z.core.$ZodType, field.type, `${path}.${key}`, seen, former),
    );
  }
  if (inner instanceof z.ZodArray)
    return type.is === 'list' ? differences(inner.element, type.of, `${path}[]`, seen, former) : [`${path}: no list`];
  if (inner instanceof z.ZodRecord)
    return type.is === 'map' ? differences(inner.valueType, type.of, `${path}{}`, seen, former) : [`${path}: no map`];
  if (inner instanceof z.ZodUnknown) return []; // refused, or the server's own
  const expected = scalarOf(inner);
  return type.is === expected ? [] : [`${path}: ${type.is} against ${expected}`];
}

function scalarOf(shape: z.core.$ZodType): FieldType['is'] {
  if (shape instanceof z.ZodNumber) return shape.format === 'int32' ? 'int32' : 'int64';
  if (shape instanceof z.ZodBoolean) return 'bool';
  if (shape instanceof z.ZodCustomStringFormat) return 'time';
  if (!(shape instanceof z.ZodUnion)) return 'string';
  return shape.options[0] instanceof z.ZodNumber ? 'intOrString' : 'quantity';
}

function unwrapped(shape: z.core.$ZodType): z.core.$ZodType {
  if (shape instanceof z.ZodPipe) return unwrapped(shape.in);
  if (shape instanceof z.ZodOptional || shape instanceof z.ZodNullable) return unwrapped(shape.unwrap());
  return shape;
}
