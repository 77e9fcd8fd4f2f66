import { describe, expect, it } from 'vitest';
import { asEpochMs } from '../../../../domain/base/time.ts';
import type { JobConfigManifest } from '../../domain/job-config.ts';
import { storedJobConfig } from '../../schema/job-config-admission.ts';
import { admitJobConfigUpdate } from '../../schema/job-config-update.ts';
import { CONFIG_UID, admitConfig, configDocument, furikoFaults, namedConfig, pod } from '../furiko-document.ts';

const NOW = '2021-02-09T04:06:00Z';
const faults = (spec: object, template: object = {}, metadata: object = {}): readonly string[] =>
  furikoFaults(admitConfig(configDocument(spec, template, metadata)));
const cron = (more: object = {}) => ({ schedule: { cron: { expression: '5 10 * * *', ...more } } });
const options = (...list: readonly object[]) => ({ option: { options: list } });

describe('a JobConfig by upstream’s validation table', () => {
  it.each<[string, object, object, object]>([
    ['the least one', {}, {}, {}],
    ['with a name of 49 characters', {}, {}, { name: 'a'.repeat(49) }],
    [
      'extended',
      {
        ...cron({ timezone: 'Asia/Singapore' }),
        ...options({ type: 'Bool', name: 'b', bool: { default: true, format: 'TrueFalse' } }),
      },
      {},
      {},
    ],
    ['with a hash', cron({ expression: 'H 10 * * *' }), {}, {}],
    ['with an offset', cron({ timezone: 'UTC+08:00' }), {}, {}],
    ['with several expressions', { schedule: { cron: { expressions: ['@daily', '0 0/5 * * * *'] } } }, {}, {}],
    [
      'with a window',
      { schedule: { cron: { expression: '@daily' }, disabled: true, constraints: { notBefore: NOW, notAfter: NOW } } },
      {},
      {},
    ],
    ['that allows all', { concurrency: { policy: 'Allow' } }, {}, {}],
    ['with as many as it says', { concurrency: { policy: 'Enqueue', maxConcurrency: 3 } }, {}, {}],
    ['with no options', { option: {} }, {}, {}],
  ])('%s is admitted', (_, spec, template, metadata) => {
    expect(faults(spec, template, metadata)).toEqual([]);
  });

  const SCHEDULE = 'spec.schedule';
  it.each<[string, object, string]>([
    ['no policy', { concurrency: {} }, 'spec.concurrency.policy: Required value'],
    ['no concurrency', { concurrency: null }, 'spec.concurrency.policy: Required value'],
    [
      'an unknown policy',
      { concurrency: { policy: 'invalid' } },
      'spec.concurrency.policy: Unsupported value: "invalid": supported values: "Allow", "Forbid", "Enqueue"',
    ],
    [
      'a limit that means nothing',
      { concurrency: { policy: 'Allow', maxConcurrency: 1 } },
      'spec.concurrency.maxConcurrency: Forbidden: cannot specify maxConcurrency with the policy Allow',
    ],
    [
      'a limit of 0',
      { concurrency: { policy: 'Forbid', maxConcurrency: 0 } },
      'spec.concurrency.maxConcurrency: Invalid value: 0: must be greater than 0',
    ],
    [
      'no kind of schedule',
      { schedule: { disabled: true } },
      `${SCHEDULE}: Required value: at least one schedule type must be specified: cron`,
    ],
    [
      'no expression',
      { schedule: { cron: {} } },
      `${SCHEDULE}.cron.expression: Required value: say when: expression, or several expressions`,
    ],
    [
      'too many expressions',
      cron({ expression: '', expressions: Array.from({ length: 101 }, () => '@daily') }),
      `${SCHEDULE}.cron.expressions: Too many: 101: must have at most 100 items`,
    ],
    [
      'one and several expressions',
      cron({ expressions: ['@daily'] }),
      `${SCHEDULE}.cron.expressions: Forbidden: cannot specify both expression and expressions`,
    ],
    [
      'an unknown time zone',
      cron({ timezone: 'Invalid/Time/Zone' }),
      `${SCHEDULE}.cron.timezone: Invalid value: "Invalid/Time/Zone": cannot parse timezone: unknown time zone "Invalid/Time/Zone": say the name of one, such as Asia/Singapore, or an offset, such as UTC+8 or GMT-03:30`,
    ],
    [
      'a window that ends before it begins',
      {
        schedule: {
          cron: { expression: '@daily' },
          constraints: { notBefore: '2021-02-09T12:06:01+08:00', notAfter: NOW },
        },
      },
      `${SCHEDULE}.constraints.notAfter: Invalid value: "${NOW}": must not be before notBefore, 2021-02-09T04:06:01Z`,
    ],
  ])('%s is refused', (_, spec, expected) => {
    expect(faults(spec)).toEqual([expected]);
  });

  it.each([
    [cron({ expression: '500 10 * * *' }), `${SCHEDULE}.cron.expression`, '"500 10 * * *"'],
    [{ schedule: { cron: { expressions: ['@daily', '@often'] } } }, `${SCHEDULE}.cron.expressions[1]`, '"@often"'],
  ])('an expression that cannot be read is refused with the reason', (spec, path, shown) => {
    const [fault = '', ...more] = faults(spec);
    expect(more).toEqual([]);
    expect(fault.startsWith(`${path}: Invalid value: ${shown}: cannot parse cron schedule: `)).toBe(true);
    expect(fault.length).toBeGreaterThan(`${path}: Invalid value: ${shown}: cannot parse cron schedule: `.length);
  });

  const TEMPLATE = 'spec.template.spec';
  it.each<[string, object, readonly string[]]>([
    [
      'too many attempts',
      { maxAttempts: 100 },
      [`${TEMPLATE}.maxAttempts: Invalid value: 100: must be less than or equal to 50`],
    ],
    [
      'no task template',
      { taskTemplate: {} },
      [`${TEMPLATE}.taskTemplate: Required value: must specify a template type: pod`],
    ],
    ['no containers', { taskTemplate: { pod: {} } }, [`${TEMPLATE}.taskTemplate.pod.spec.containers: Required value`]],
    [
      'restartPolicy Always',
      { taskTemplate: { pod: pod({}, { restartPolicy: 'Always' }) } },
      [
        `${TEMPLATE}.taskTemplate.pod.spec.restartPolicy: Invalid value: "Always": restartPolicy cannot be Always: say Never or OnFailure`,
      ],
    ],
    [
      'a field of former times',
      { taskTemplate: null, task: { template: { pod: pod() } } },
      [
        `${TEMPLATE}.task.template: Forbidden: it is called taskTemplate now, outside of task: put a Pod template into taskTemplate.pod`,
      ],
    ],
    [
      'what batch/v1 refuses',
      { taskTemplate: { pod: pod({}, { hostNetwork: true }) } },
      [
        `${TEMPLATE}.taskTemplate.pod.spec.hostNetwork: Forbidden: not supported by this version of Muster; leave it out: Fargate has no host network`,
      ],
    ],
    [
      'an image that differs by number',
      { parallelism: { withCount: 2 }, taskTemplate: { pod: pod({ image: '${task.index_num}' }) } },
      [
        `${TEMPLATE}.taskTemplate.pod.spec.containers[0].image: Forbidden: \${task.index_num} cannot be in an image: only \${task.index_key} and \${task.index_matrix.…} can`,
      ],
    ],
  ])('a template with %s is refused', (_, template, expected) => {
    expect(faults({}, template)).toEqual(expected);
  });

  it('has a name with room for the slot', () => {
    expect(faults({}, {}, { name: 'a'.repeat(50) })).toEqual([
      `metadata.name: Invalid value: "${'a'.repeat(50)}": cannot be more than 49 characters`,
    ]);
  });

  it('is tried with the longest name of a slot’s Job', () => {
    const wide = { parallelism: { withCount: 101 } };
    expect(faults({}, wide, { name: 'a'.repeat(48) })).toEqual([]);
    expect(faults({}, wide, { name: 'a'.repeat(49) })).toHaveLength(1);
  });

  it('is tried with some value for each option', () => {
    const image = 'i:${option.a}${option.b}${option.c}${option.d}${option.e}';
    const spec = options(
      { type: 'String', name: 'a', required: true },
      { type: 'Select', name: 'b', required: true, select: { values: ['b'] } },
      { type: 'Multi', name: 'c', required: true, multi: { values: ['c'] } },
      { type: 'Date', name: 'd', required: true, date: { format: 'YYYY' } },
      { type: 'Bool', name: 'e' },
    );
    expect(faults(spec, { taskTemplate: { pod: pod({ image }) } })).toEqual([]);
    expect(faults({}, { taskTemplate: { pod: pod({ image: '${option.a}' }) } })).toEqual([
      `${TEMPLATE}.taskTemplate.pod.spec.containers[0].image: Required value`,
    ]);
  });

  it('is refused for labels and annotations of its Jobs', () => {
    const template = {
      metadata: { labels: { 'a b': 'c' }, annotations: { 'muster.run/matrix': '{}', 'muster.run/x': '' } },
    };
    const document = {
      ...configDocument(),
      spec: { ...configDocument().spec, template: { ...configDocument().spec.template, ...template } },
    };
    const paths = furikoFaults(admitConfig(document)).map((line) => line.split(': ')[0]);
    expect(paths).toContain('spec.template.metadata.labels');
    expect(paths).toContain('spec.template.metadata.annotations[muster.run/matrix]');
    expect(paths).toContain('spec.template.metadata.annotations[muster.run/x]');
  });
});

describe('an option of a JobConfig by upstream’s table', () => {
  const PATH = 'spec.option.options[0]';
  const select = (more: object) => ({ type: 'Select', name: 'opt', select: { values: ['a', 'b'], ...more } });
  const multi = (more: object) => ({
    type: 'Multi',
    name: 'opt',
    multi: { values: ['a', 'b'], delimiter: ',', ...more },
  });

  it.each([
    { type: 'Bool', name: 'opt' },
    { type: 'Bool', name: 'opt', bool: {} },
    { type: 'Bool', name: 'opt', bool: { format: 'Custom' } },
    { type: 'String', name: 'opt' },
    { type: 'String', name: 'A_0.-', required: true, string: { default: ' ', trimSpaces: true } },
    select({ default: 'a', allowCustom: true }),
    { ...select({}), required: true },
    multi({ default: ['a'] }),
    multi({ delimiter: '' }),
    { ...multi({}), required: true },
    { type: 'Date', name: 'opt' },
    { type: 'Date', name: 'opt', date: { format: 'YYYY-MM-DD HH:mm:ss' } },
  ])('%j is admitted', (option) => {
    expect(faults(options(option))).toEqual([]);
  });

  it.each<[object, string]>([
    [
      { type: 'x', name: 'opt' },
      `${PATH}: Unsupported value: "x": supported values: "Bool", "String", "Select", "Multi", "Date"`,
    ],
    [{ name: 'opt' }, `${PATH}: Required value: type: one of Bool, String, Select, Multi, Date`],
    [{ type: 'String' }, `${PATH}: Invalid value: "": must match regex: ^[a-zA-Z_0-9.-]+$`],
    [
      { type: 'String', name: 'option name' },
      `${PATH}: Invalid value: "option name": must match regex: ^[a-zA-Z_0-9.-]+$`,
    ],
    [{ type: 'String', name: '<opt>' }, `${PATH}: Invalid value: "<opt>": must match regex: ^[a-zA-Z_0-9.-]+$`],
    [
      { type: 'Bool', name: 'opt', bool: { format: 'x' } },
      `${PATH}.bool.format: Unsupported value: "x": supported values: "TrueFalse", "OneZero", "YesNo", "Custom"`,
    ],
    [
      { type: 'Bool', name: 'opt', required: true },
      `${PATH}.required: Forbidden: bool option cannot be marked as required`,
    ],
    [
      { type: 'Bool', name: 'opt', string: {} },
      `${PATH}.string: Forbidden: the option is of type Bool: its settings are in bool`,
    ],
    [
      { type: 'String', name: 'opt', bool: {} },
      `${PATH}.bool: Forbidden: the option is of type String: its settings are in string`,
    ],
    [{ type: 'Select', name: 'opt' }, `${PATH}.select.values: Required value: at least 1 value is required`],
    [
      { ...select({}), string: {} },
      `${PATH}.string: Forbidden: the option is of type Select: its settings are in select`,
    ],
    [select({ values: ['a', ''] }), `${PATH}.select.values[1]: Required value`],
    [
      select({ default: 'c', allowCustom: true }),
      `${PATH}.select.default: Unsupported value: "c": supported values: "a", "b"`,
    ],
    [{ type: 'Multi', name: 'opt' }, `${PATH}.multi.values: Required value: at least 1 value is required`],
    [{ ...multi({}), string: {} }, `${PATH}.string: Forbidden: the option is of type Multi: its settings are in multi`],
    [
      multi({ default: ['b', 'c'], allowCustom: true }),
      `${PATH}.multi.default[1]: Unsupported value: "c": supported values: "a", "b"`,
    ],
    [multi({ values: ['a', ''] }), `${PATH}.multi.values[1]: Required value`],
    [multi({ default: [''] }), `${PATH}.multi.default[0]: Required value`],
    [
      { type: 'Date', name: 'opt', string: {} },
      `${PATH}.string: Forbidden: the option is of type Date: its settings are in date`,
    ],
  ])('%j is refused', (option, expected) => {
    expect(faults(options(option))).toEqual([expected]);
  });

  it('has a name that no other has', () => {
    const one = { type: 'String', name: 'opt' };
    expect(faults(options(one, { ...one, type: 'Date' }))).toEqual([
      'spec.option.options[1]: Forbidden: duplicate option name: "opt"',
    ]);
  });
});

describe('a JobConfig as it is stored', () => {
  it('has its defaults, and its template as it was written', () => {
    const { manifest } = namedConfig(
      configDocument(
        { ...cron(), ...options({ type: 'Bool', name: 'b' }) },
        { maxAttempts: 3 },
        { labels: { a: 'b' } },
      ),
    );
    expect(manifest).toEqual({
      apiVersion: 'execution.furiko.io/v1alpha1',
      kind: 'JobConfig',
      metadata: { name: 'config', namespace: 'default', labels: { a: 'b' } },
      spec: {
        template: { spec: { taskTemplate: { pod: pod({}, { restartPolicy: 'Never' }) }, maxAttempts: 3 } },
        concurrency: { policy: 'Forbid', maxConcurrency: 1 },
        schedule: { cron: { expression: '5 10 * * *' }, disabled: false, lastUpdated: NOW },
        option: { options: [{ type: 'Bool', name: 'b', bool: { default: false, format: 'TrueFalse' } }] },
      },
    });
  });

  it('is read again as it is', () => {
    const { manifest } = namedConfig(
      configDocument({
        ...cron({ timezone: 'UTC+8' }),
        ...options({ type: 'Multi', name: 'm', label: 'M', multi: { values: ['a'], default: ['a'] } }),
      }),
    );
    const document = { ...manifest, metadata: { ...manifest.metadata, uid: CONFIG_UID }, status: { state: 'Ready' } };
    expect(storedJobConfig(document)).toEqual({ manifest, uid: CONFIG_UID, deleting: false });
    const gone = { ...document, metadata: { ...document.metadata, deletionTimestamp: NOW } };
    expect(storedJobConfig(gone).deleting).toBe(true);
    const other = { ...document, kind: 'CronJob' };
    expect(() => storedJobConfig(other)).toThrow('a stored JobConfig cannot be read');
  });
});

describe('an update of a JobConfig', () => {
  const OLD = '2021-02-01T00:00:00Z';
  const FUTURE = '2031-01-01T00:00:00Z';
  const first = { cron: { expression: '0 5 * * *' } };
  const second = { cron: { expression: '0 6 * * *' } };

  const update = (before: object, after: object, metadata: object = {}) => {
    const { manifest } = namedConfig(configDocument(before));
    // A schedule of earlier days.
    const old: JobConfigManifest =
      manifest.spec.schedule === undefined
        ? manifest
        : { ...manifest, spec: { ...manifest.spec, schedule: { ...manifest.spec.schedule, lastUpdated: OLD } } };
    return admitJobConfigUpdate(
      { manifest: old, uid: CONFIG_UID, deleting: false },
      configDocument(after, {}, metadata),
      { now: asEpochMs(Date.parse(NOW)), fieldValidation: 'Strict' },
    );
  };
  const updated = (before: object, after: object) => {
    const answer = update(before, after);
    if (answer.kind !== 'ok') throw new Error(furikoFaults(answer).join('\n'));
    return { changed: answer.changed, lastUpdated: answer.manifest.spec.schedule?.lastUpdated };
  };

  it.each<[string, object, object, string, string | undefined]>([
    ['nothing', { schedule: first }, { schedule: first }, 'nothing', OLD],
    ['nothing, and sends its time', { schedule: first }, { schedule: { ...first, lastUpdated: OLD } }, 'nothing', OLD],
    ['nothing without a schedule', {}, {}, 'nothing', undefined],
    ['the concurrency only', { schedule: first }, { schedule: first, concurrency: { policy: 'Allow' } }, 'spec', OLD],
    ['the cron', { schedule: first }, { schedule: second }, 'spec', NOW],
    [
      'the cron, and sends the old time',
      { schedule: first },
      { schedule: { ...second, lastUpdated: OLD } },
      'spec',
      NOW,
    ],
    [
      'the cron, and sends a later time',
      { schedule: first },
      { schedule: { ...second, lastUpdated: FUTURE } },
      'spec',
      FUTURE,
    ],
    ['a new schedule', {}, { schedule: second }, 'spec', NOW],
    ['the window', { schedule: first }, { schedule: { ...first, constraints: { notBefore: FUTURE } } }, 'spec', NOW],
    ['disabled', { schedule: { ...first, disabled: true } }, { schedule: first }, 'spec', NOW],
    [
      'nothing, and says that it is enabled',
      { schedule: first },
      { schedule: { ...first, disabled: false } },
      'nothing',
      OLD,
    ],
    ['the schedule away', { schedule: first }, {}, 'spec', undefined],
  ])('changes %s', (_, before, after, changed, lastUpdated) => {
    expect(updated(before, after)).toEqual({ changed, lastUpdated });
  });

  it('changes metadata only', () => {
    expect(update({}, {}, { labels: { a: 'b' } })).toMatchObject({ kind: 'ok', changed: 'metadata' });
  });

  it('is checked as a new one is', () => {
    expect(furikoFaults(update({}, { concurrency: {} }))).toEqual(['spec.concurrency.policy: Required value']);
    expect(furikoFaults(update({}, {}, { name: 'other' }))).toEqual([
      'metadata.name: Invalid value: "other": field is immutable',
    ]);
  });
});
