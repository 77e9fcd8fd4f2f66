import { describe, expect, it } from 'vitest';
import { ANNOTATIONS } from '../../../../domain/manifests/annotations.ts';
import {
  JOB_UID,
  admitFuriko,
  admittedFuriko,
  configDocument,
  furikoDocument,
  furikoFaults,
  jobOfConfig,
  namedConfig,
  pod,
} from '../furiko-document.ts';

const IMAGE = 'spec.template.taskTemplate.pod.spec.containers[0].image';
const manifestOf = (template: object, spec: object = {}) => admittedFuriko(furikoDocument(template, spec)).manifest;
const rulesOf = (template: object, spec: object = {}) => manifestOf(template, spec).metadata.annotations ?? {};
const matrixOf = (template: object): unknown => JSON.parse(rulesOf(template)[ANNOTATIONS.matrix] ?? 'null');

describe('a Furiko Job is run by an Indexed Job', () => {
  it('with one index, where nothing is parallel', () => {
    const { spec, metadata } = manifestOf({});
    expect(spec).toMatchObject({
      completionMode: 'Indexed',
      completions: 1,
      parallelism: 1,
      backoffLimitPerIndex: 0,
      maxFailedIndexes: 0,
      podReplacementPolicy: 'Failed',
      ttlSecondsAfterFinished: 3600,
      suspend: false,
    });
    expect(metadata.annotations).toEqual({
      [ANNOTATIONS.retryDelay]: '0',
      [ANNOTATIONS.startTimeout]: '900',
    });
  });

  it.each<[string, object, number]>([
    ['number', { withCount: 5 }, 5],
    ['key', { withKeys: ['a', 'b'] }, 2],
    ['combination', { withMatrix: { a: ['1', '2'], b: ['1', '2', '3'] } }, 6],
  ])('with an index for each %s, all at once', (_, parallelism, count) => {
    expect(manifestOf({ parallelism }).spec).toMatchObject({ completions: count, parallelism: count });
  });

  it('whose indexes have their attempts, and delays between them', () => {
    expect(manifestOf({ maxAttempts: 4 }).spec.backoffLimitPerIndex).toBe(3);
    expect(rulesOf({ maxAttempts: 4, retryDelaySeconds: 15 })[ANNOTATIONS.retryDelay]).toBe('15');
  });

  it('that fails with the first index that failed for good', () => {
    const { spec, metadata } = manifestOf({ parallelism: { withCount: 2, completionStrategy: 'AllSuccessful' } });
    expect(spec.maxFailedIndexes).toBe(0);
    expect(spec.successPolicy).toBeUndefined();
    expect(metadata.annotations).not.toHaveProperty([ANNOTATIONS.successFirst]);
  });

  it('or succeeds with the first that succeeded', () => {
    const { spec, metadata } = manifestOf({ parallelism: { withCount: 2, completionStrategy: 'AnySuccessful' } });
    expect(spec.maxFailedIndexes).toBeUndefined();
    expect(spec.successPolicy).toEqual({ rules: [{ succeededCount: 1 }] });
    expect(metadata.annotations?.[ANNOTATIONS.successFirst]).toBe('true');
  });

  it('whose Pods may be pending for so long', () => {
    expect(rulesOf({ taskPendingTimeoutSeconds: 1800 })[ANNOTATIONS.startTimeout]).toBe('1800');
    expect(rulesOf({ taskPendingTimeoutSeconds: 0 })).not.toHaveProperty([ANNOTATIONS.startTimeout]);
  });

  it('that starts, is killed, and is deleted at its times', () => {
    const { metadata, spec } = manifestOf(
      {},
      {
        startPolicy: { concurrencyPolicy: 'Allow', startAfter: '2021-02-09T05:00:00Z' },
        killTimestamp: '2021-02-09T06:00:00Z',
        ttlSecondsAfterFinished: 60,
      },
    );
    expect(metadata.annotations).toMatchObject({
      [ANNOTATIONS.startAfter]: '2021-02-09T05:00:00Z',
      [ANNOTATIONS.killAt]: '2021-02-09T06:00:00Z',
    });
    expect(spec.ttlSecondsAfterFinished).toBe(60);
  });
});

describe('its work list', () => {
  it('has a column of keys', () => {
    expect(matrixOf({ parallelism: { withKeys: ['b', 'a'] } })).toEqual({
      values: [{ name: 'index_key', values: ['b', 'a'] }],
    });
  });

  it('has the names of the matrix in the order of their bytes, the first varying slowest', () => {
    expect(matrixOf({ parallelism: { withMatrix: { b: ['1'], a_: ['2', '3'], 'a-': ['4'] } } })).toEqual({
      values: [
        { name: 'index_matrix_a_', values: ['4'] },
        { name: 'index_matrix_a__2', values: ['2', '3'] },
        { name: 'index_matrix_b', values: ['1'] },
      ],
    });
  });

  it('is not there for numbers', () => {
    expect(matrixOf({ parallelism: { withCount: 2 } })).toBeNull();
  });
});

/** The words and the environment of the first container. */
function wordsOf(container: object, template: object = {}, spec: object = {}) {
  const { containers } = manifestOf({ ...template, taskTemplate: { pod: pod(container) } }, spec).spec.template.spec;
  const { image, command = [], args = [], env = [] } = containers[0] ?? { image: '' };
  return { image, words: [...command, ...args], values: env.map(({ value }) => value) };
}

const argsOf = (args: readonly string[], template: object = {}, spec: object = {}) =>
  wordsOf({ command: ['sh'], args }, template, spec).words.slice(1);

describe('its variables', () => {
  it('are replaced in the image, command, arguments, and values of containers and init containers', () => {
    const text = '${job.name}';
    const container = { image: `i:${text}`, command: ['c', text], args: [text], env: [{ name: 'E', value: text }] };
    const { spec } = manifestOf({
      taskTemplate: {
        pod: {
          metadata: { annotations: { note: text } },
          spec: {
            containers: [{ name: 'main', ...container, workingDir: `/${text}` }],
            initContainers: [{ name: 'init', ...container }],
          },
        },
      },
    }).spec.template;
    for (const { image, command, args, env } of [...spec.containers, ...(spec.initContainers ?? [])])
      expect([image, command, args, env]).toEqual(['i:job', ['c', 'job'], ['job'], [{ name: 'E', value: 'job' }]]);
    expect(spec.containers[0]?.workingDir).toBe(`/${text}`);
  });

  it('are those of the Job', () => {
    const text = '${job.uid} ${job.name} ${job.namespace} ${job.type} ${job.max_attempts} ${task.namespace}';
    expect(argsOf([text], { maxAttempts: 3 })).toEqual([`${JOB_UID} job default Adhoc 3 default`]);
  });

  it('are those of the task, which it learns at its launch', () => {
    expect(argsOf(['${task.name} ${task.retry_index} ${task.index_num}'])).toEqual([
      '$(MUSTER_POD_NAME) $(MUSTER_RETRY_INDEX) $(MUSTER_INDEX)',
    ]);
    const keys = { parallelism: { withKeys: ['a'] } };
    expect(argsOf(['${task.index_key}/${task.index_num}/'], keys)).toEqual(['$(index_key)//']);
    const matrix = { parallelism: { withMatrix: { 'os-name': ['a'], os: ['b'] } } };
    expect(argsOf(['${task.index_matrix.os-name} ${task.index_matrix.os} ${task.index_matrix.x}'], matrix)).toEqual([
      '$(index_matrix_os_name) $(index_matrix_os) ',
    ]);
  });

  it('are replaced by substitutions first, then by what is known of the Job, then of the task', () => {
    const substitutions = { 'job.name': 'mine', 'task.name': 'ours', anything: 'else' };
    expect(argsOf(['${job.name} ${task.name} ${anything} ${job.type}'], {}, { substitutions })).toEqual([
      'mine ours else Adhoc',
    ]);
  });

  it('are empty if they are ours and unknown, and the shell’s otherwise', () => {
    expect(argsOf(['[${jobconfig.name}${job.x}${task.x}${option.x}] ${HOME} ${jobs.name}'])).toEqual([
      '[] ${HOME} ${jobs.name}',
    ]);
  });

  it('are not found in a value, as upstream finds them', () => {
    const substitutions = { 'option.evil': '${task.name} $(SECRET) ${job.uid}' };
    expect(argsOf(['${option.evil}'], {}, { substitutions })).toEqual(['$${task.name} $$(SECRET) $${job.uid}']);
  });

  it('do not fit the program, which is the same for all tasks', () => {
    const document = furikoDocument({ taskTemplate: { pod: pod({ command: ['${task.name}'] }) } });
    const [fault] = furikoFaults(admitFuriko(document));
    expect(fault).toMatch(/^spec\.template\.taskTemplate\.pod\.spec\.containers\[0\]\.command\[0\]: /);
  });
});

describe('the image of each index', () => {
  const withImage = (image: string, parallelism: object, more: object = {}) =>
    furikoDocument({ parallelism, taskTemplate: { pod: pod({ image }, more) } });
  const MATRIX = { withMatrix: { os: ['linux', 'mac'], node: ['18', '20'] } };
  const many = (count: number) => Array.from({ length: count }, (_, nth) => `v${nth}`);

  it('is made of the values of its matrix', () => {
    const { manifest } = admittedFuriko(withImage('node:${task.index_matrix.node}', MATRIX));
    expect(manifest.spec.template.spec.containers[0]?.image).toBe('node:18');
    expect(JSON.parse(manifest.metadata.annotations?.[ANNOTATIONS.matrix] ?? '')).toMatchObject({
      image: 'node:$(index_matrix_node)',
    });
  });

  it('is made of its key', () => {
    const { manifest } = admittedFuriko(withImage('${task.index_key}', { withKeys: ['alpine', 'debian'] }));
    expect(manifest.spec.template.spec.containers[0]?.image).toBe('alpine');
  });

  it('is one of 20, and the fault says how many', () => {
    expect(furikoFaults(admitFuriko(withImage('i:${task.index_key}', { withKeys: many(20) })))).toEqual([]);
    expect(furikoFaults(admitFuriko(withImage('i:${task.index_key}', { withKeys: many(21) })))).toEqual([
      `${IMAGE}: Invalid value: "i:\${task.index_key}": makes 21 images; a Job may have 20, each with a task definition`,
    ]);
    const wide = { withMatrix: { a: many(20), b: many(100) } };
    expect(furikoFaults(admitFuriko(withImage('i:${task.index_matrix.a}', wide)))).toEqual([]);
  });

  it.each(['${task.index_num}', '${task.name}', '${task.retry_index}'])('is not made of %s', (variable) => {
    const document = withImage(`i:${variable}`, { withCount: 2 });
    expect(furikoFaults(admitFuriko(document))).toEqual([
      `${IMAGE}: Forbidden: ${variable} cannot be in an image: only \${task.index_key} and \${task.index_matrix.…} can`,
    ]);
  });

  it('differs in the first container only', () => {
    const late = { name: 'late', image: '${task.index_matrix.os}' };
    const beside = withImage('i', MATRIX, { containers: [{ name: 'main', image: 'i' }, late] });
    expect(furikoFaults(admitFuriko(beside))).toEqual([
      "spec.template.taskTemplate.pod.spec.containers[1].image: Forbidden: variables of the task can be only in the first container's image",
    ]);
    const before = withImage('i', MATRIX, { initContainers: [late] });
    expect(furikoFaults(admitFuriko(before))).toEqual([
      "spec.template.taskTemplate.pod.spec.initContainers[0].image: Forbidden: variables of the task can be only in the first container's image",
    ]);
  });
});

describe('the options of its JobConfig', () => {
  const config = () =>
    namedConfig(
      configDocument(
        {
          option: {
            options: [
              { type: 'String', name: 'who', required: true },
              { type: 'Select', name: 'tag', select: { values: ['latest', '3.15'], default: 'latest' } },
            ],
          },
        },
        { taskTemplate: { pod: pod({ image: 'alpine:${option.tag}', args: ['${option.who} ${jobconfig.name}'] }) } },
      ),
    );

  it('are values, of which only given ones are kept', () => {
    const { manifest, furiko } = admittedFuriko(jobOfConfig({ optionValues: 'who: Eve' }), { config: config() });
    const [container] = manifest.spec.template.spec.containers;
    expect([container?.image, container?.args]).toEqual(['alpine:latest', ['Eve config']]);
    expect(furiko.spec.optionValues).toBe('{"who":"Eve"}');
    expect(furiko.spec.substitutions).toMatchObject({ 'option.who': 'Eve', 'option.tag': 'latest' });
    expect(furiko.metadata.annotations?.['execution.furiko.io/option-spec-hash']).toMatch(/^[0-9a-f]+$/);
  });

  it('lose against substitutions', () => {
    const spec = { optionValues: 'who: Eve', substitutions: { 'option.who': 'Adam', 'jobconfig.name': 'other' } };
    const { manifest } = admittedFuriko(jobOfConfig(spec), { config: config() });
    expect(manifest.spec.template.spec.containers[0]?.args).toEqual(['Adam other']);
  });

  it('are refused with their paths', () => {
    const answer = admitFuriko(jobOfConfig({ optionValues: '{"tag": "4", "x": 1}' }), { config: config() });
    expect(furikoFaults(answer)).toEqual([
      'spec.optionValues[x]: Forbidden: the JobConfig has no option of this name; it has "who", "tag"',
      'spec.optionValues[who]: Required value: option is required',
      'spec.optionValues[tag]: Unsupported value: "4": supported values: "latest", "3.15"',
    ]);
  });
});
