import { expect, test } from 'vitest';
import { jsonFieldsOf } from '../../../../schema/kinds/json-fields-of.ts';
import { KINDS } from '../../../../schema/kinds/kinds.ts';
import { OWN_FIELDS, ownAnnotationErrorsOf } from '../../schema/own-annotations.ts';

test.each(OWN_FIELDS)('%s: Jobs have the field that says it', (key, { instead, madeOf = instead }) => {
  for (const path of [instead, madeOf])
    expect([path, isField('FurikoJob', `spec.${path.replace(/, and .*/, '')}`)]).toContain(true);
  expect(ownAnnotationErrorsOf('metadata.annotations', { [key]: 'x', 'muster.run/other': 'y' })).toEqual([
    expect.objectContaining({ path: `metadata.annotations[${key}]` }),
  ]);
});

function isField(type: string, path: string): boolean {
  const [name = '', ...rest] = path.split('.');
  const field = new Map(jsonFieldsOf(KINDS, type)).get(name);
  if (field === undefined) return false;
  return rest.length === 0 || (field.type.is === 'object' && isField(field.type.of, rest.join('.')));
}
