import { describe, expect, test } from 'vitest';
import { fieldErrorText } from '../../../../schema/object/field-error.ts';
import { admitPlain } from '../../../../schema/object/plain-admission.ts';
import { LIMIT_RANGE_FORM } from '../../schema/limit-range-form.ts';

const admit = (...limits: readonly object[]) =>
  admitPlain(
    LIMIT_RANGE_FORM,
    { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'abc' }, spec: { limits } },
    { namespace: 'default', nameSuffix: 'xxxxx', fieldValidation: 'Strict' },
  );
const faults = (...limits: readonly object[]): readonly string[] => {
  const admission = admit(...limits);
  return admission.kind === 'invalid' ? admission.errors.map((each) => `${each.path}: ${fieldErrorText(each)}`) : [];
};
const list = (cpu: string, memory: string) => ({ cpu, memory });

describe('a LimitRange (TestValidateLimitRange)', () => {
  test.each<[string, readonly object[]]>([
    [
      'all of a container, and of a Pod',
      [{ type: 'Pod', max: list('100m', '10000Mi'), min: list('5m', '10Mi'), maxLimitRequestRatio: { cpu: '10' } }],
    ],
    [
      'defaults between min and max',
      [
        {
          type: 'Container',
          max: list('100m', '10Gi'),
          min: list('5m', '10Mi'),
          default: list('50m', '500Mi'),
          defaultRequest: list('10m', '200Mi'),
          maxLimitRequestRatio: { cpu: '10', memory: '2' },
        },
      ],
    ],
    ['storage of a container', [{ type: 'Container', max: { 'ephemeral-storage': '100Gi' } }]],
    ['nothing', []],
  ])('may have %s', (_, limits) => {
    expect(faults(...limits)).toEqual([]);
  });

  const path = 'spec.limits[0]';
  test.each<[string, readonly object[], readonly string[]]>([
    [
      'duplicate limit type',
      [
        { type: 'Pod', max: list('100m', '1Gi') },
        { type: 'Pod', min: list('50m', '1Mi') },
      ],
      ['spec.limits[1].type: Duplicate value: "Pod"'],
    ],
    [
      'default limit type pod',
      [{ type: 'Pod', default: list('10m', '100m'), defaultRequest: list('10m', '100m') }],
      [
        `${path}.default: Forbidden: may not be specified when \`type\` is 'Pod'`,
        `${path}.defaultRequest: Forbidden: may not be specified when \`type\` is 'Pod'`,
      ],
    ],
    [
      'min value 100m is greater than max value 10m',
      [{ type: 'Pod', max: { cpu: '10m' }, min: { cpu: '100m' } }],
      [`${path}.min[cpu]: Invalid value: "100m": min value 100m is greater than max value 10m`],
    ],
    [
      'invalid spec default outside range',
      [{ type: 'Container', max: { cpu: '1' }, min: { cpu: '100m' }, default: { cpu: '2000m' } }],
      [`${path}.default[cpu]: Invalid value: "2000m": default value 2 is greater than max value 1`],
    ],
    [
      'invalid spec default request outside range',
      [{ type: 'Container', max: { cpu: '1' }, min: { cpu: '100m' }, defaultRequest: { cpu: '2000m' } }],
      [`${path}.defaultRequest[cpu]: Invalid value: "2000m": default request value 2 is greater than max value 1`],
    ],
    [
      'invalid spec default request more than default',
      [
        {
          type: 'Container',
          max: { cpu: '2' },
          min: { cpu: '100m' },
          default: { cpu: '500m' },
          defaultRequest: { cpu: '800m' },
        },
      ],
      [
        `${path}.defaultRequest[cpu]: Invalid value: "800m": default request value 800m is greater than default limit value 500m`,
      ],
    ],
    [
      'a default below min',
      [{ type: 'Container', min: { cpu: '1' }, default: { cpu: '500m' }, defaultRequest: { cpu: '250m' } }],
      [
        `${path}.defaultRequest[cpu]: Invalid value: "250m": min value 1 is greater than default request value 250m`,
        `${path}.default[cpu]: Invalid value: "500m": min value 1 is greater than default value 500m`,
      ],
    ],
    [
      'invalid spec maxLimitRequestRatio less than 1',
      [{ type: 'Pod', maxLimitRequestRatio: { cpu: '800m' } }],
      [`${path}.maxLimitRequestRatio[cpu]: Invalid value: "800m": ratio 800m is less than 1`],
    ],
    [
      'invalid spec maxLimitRequestRatio greater than max/min',
      [{ type: 'Container', max: { memory: '2Gi' }, min: { memory: '512Mi' }, maxLimitRequestRatio: { memory: '10' } }],
      [`${path}.maxLimitRequestRatio[memory]: Invalid value: "10": ratio 10 is greater than max/min = 4.000000`],
    ],
    [
      'claims of volumes, which do not exist here',
      [{ type: 'PersistentVolumeClaim', max: { storage: '1Gi' } }, { max: { cpu: '1' } }],
      [
        `${path}.type: Unsupported value: "PersistentVolumeClaim": supported values: "Container", "Pod"`,
        'spec.limits[1].type: Unsupported value: "": supported values: "Container", "Pod"',
      ],
    ],
    [
      'resources that no task has',
      [{ type: 'Container', max: { 'nvidia.com/gpu': '1' }, default: { 'hugepages-2Mi': '2Mi' } }],
      ['max[nvidia.com/gpu]', 'default[hugepages-2Mi]'].map(
        (at) =>
          `${path}.${at}: Unsupported value: "${/\[(.*)\]/.exec(at)?.[1] ?? ''}": supported values: "cpu", "ephemeral-storage", "memory"`,
      ),
    ],
    [
      'no quantity',
      [{ type: 'Pod', max: { memory: 'much' } }],
      [`${path}.max[memory]: Invalid value: "much": write a quantity such as 10, 500m, or 2Gi`],
    ],
  ])('cannot have: %s', (_, limits, expected) => {
    expect(faults(...limits)).toEqual(expected);
  });

  test('is stored with its defaults, and without empty lists', () => {
    expect(admit({ type: 'Container', max: { cpu: 2 }, min: {} }, { type: 'Pod', max: { cpu: '4' } })).toMatchObject({
      kind: 'ok',
      manifest: {
        content: {
          spec: {
            limits: [
              { type: 'Container', max: { cpu: '2' }, default: { cpu: '2' }, defaultRequest: { cpu: '2' } },
              { type: 'Pod', max: { cpu: '4' } },
            ],
          },
        },
      },
    });
  });
});
