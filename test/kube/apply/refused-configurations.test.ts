import { expect, test } from 'vitest';
import { aJob, aTemplate } from '../patch/a-job.ts';
import { C, NOTHING, env, only, refusal, updated } from './applied-state.ts';

const untyped = 'failed to create typed patch object (/pi; batch/v1, Kind=Job): ';
test.each<[why: string, config: unknown, message: string]>([
  ['no object', ['x'], 'error decoding YAML: json: cannot unmarshal into an object'],
  [
    'another version',
    { ...only(), apiVersion: 'batch/v2' },
    'Incorrect version specified in apply patch. Specified patch version: batch/v2, expected: batch/v1',
  ],
  [
    'no version',
    { kind: 'Job' },
    'Incorrect version specified in apply patch. Specified patch version: , expected: batch/v1',
  ],
  ['managedFields', only({}, { managedFields: [] }), 'metadata.managedFields must be nil'],
  ['an unknown field', only({ paralelism: 1 }), `${untyped}.spec.paralelism: field not declared in schema`],
  [
    'a field that every object inherits',
    only({ constructor: 1 }),
    `${untyped}.spec.constructor: field not declared in schema`,
  ],
  [
    'a number for text',
    only(env({ name: 'A', value: 8080 })),
    `${untyped}${C}.env[name="A"].value: expected string, got &value.valueUnstructured{Value:8080}`,
  ],
  [
    'text for a number',
    only({ parallelism: '3' }),
    `${untyped}.spec.parallelism: expected numeric (int or float), got &value.valueUnstructured{Value:"3"}`,
  ],
  [
    'a number for a switch',
    only({ suspend: 1 }),
    `${untyped}.spec.suspend: expected boolean, got &value.valueUnstructured{Value:1}`,
  ],
  [
    'an object for a list',
    only({ template: { spec: { containers: { name: 'c' } } } }),
    `${untyped}.spec.template.spec.containers: expected list, got &{map[name:c]}`,
  ],
  ['a list for an object', only({ template: [] }), `${untyped}.spec.template: expected map, got &{[]}`],
  [
    'a wrong value in an atomic list',
    only({ template: aTemplate({ command: [1] }) }),
    `${untyped}${C}.command[0]: expected string, got &value.valueUnstructured{Value:1}`,
  ],
  [
    'a key said twice',
    only(env({ name: 'A' }, { name: 'A' })),
    `${untyped}${C}.env: duplicate entries for key [name="A"]`,
  ],
  [
    'a value said twice',
    only({}, { finalizers: ['x/a', 'x/a'] }),
    `${untyped}.metadata.finalizers: duplicate entries for key [="x/a"]`,
  ],
  [
    'no key',
    only(env({ value: '1' })),
    `${untyped}${C}.env: element 0: associative list with keys has an element that omits key field "name" (and doesn't have default value)`,
  ],
  [
    'null as an item',
    only({ template: { spec: { containers: [null] } } }),
    `${untyped}.spec.template.spec.containers: element 0: associative list with keys may not have a null element`,
  ],
  [
    'several',
    only({ a: 1, b: 2 }),
    `${untyped}errors:\n  .spec.a: field not declared in schema\n  .spec.b: field not declared in schema`,
  ],
])('%s is refused', (_why, config, message) => {
  expect(refusal(NOTHING, config, 'alice')).toBe(message);
  expect(refusal(updated(NOTHING, aJob(), 'creator'), config, 'alice')).toBe(message);
});
