import { describe, expect, test } from 'vitest';
import { forItem, imageOfItem, sizeOfItem } from '../../../shared/domain/task/item-template.ts';
import { overridesCharsMax, overridesRequest } from '../../../shared/domain/task/launch-overrides.ts';
import type { Container, PodSpec } from '../../../shared/domain/manifests/pod-spec.ts';

const ON = { 'muster.run/resources-from-items': 'true' };

const jobOf = (containers: readonly Partial<Container>[], annotations: Record<string, string> = ON, pod = {}) => ({
  metadata: { name: 'fit', namespace: 'default', annotations },
  spec: {
    completionMode: 'Indexed' as const,
    template: {
      metadata: { labels: {} },
      spec: {
        restartPolicy: 'Never',
        terminationGracePeriodSeconds: 30,
        ...pod,
        containers: containers.map((container, i) => ({ name: i === 0 ? 'main' : 'side', image: 'i', ...container })),
      } satisfies PodSpec,
    },
  },
});

const itemOf = (columns: Record<string, string>) => ({
  columns: new Map(Object.entries(columns)),
  line: '',
  resultName: '',
});

type Resources = NonNullable<Container['resources']>;
const resourcesOf = (own: Resources, columns: Record<string, string>) =>
  forItem(jobOf([{ resources: own }]), itemOf(columns)).spec.template.spec.containers[0]?.resources;

describe('what an item says of resources takes the place of what the template says', () => {
  test.each<[string, Resources, Record<string, string>, Resources]>([
    ['a request', { requests: { cpu: '1' } }, { cpu: '2' }, { requests: { cpu: '2' } }],
    [
      'of one resource',
      { requests: { cpu: '1', memory: '1Gi' } },
      { cpu: '2' },
      { requests: { cpu: '2', memory: '1Gi' } },
    ],
    [
      'of all',
      {},
      { cpu: '2', memory: '4Gi', 'ephemeral-storage': '40Gi' },
      { requests: { cpu: '2', memory: '4Gi', 'ephemeral-storage': '40Gi' } },
    ],
    ['a smaller one', { requests: { memory: '8Gi' } }, { memory: '1Gi' }, { requests: { memory: '1Gi' } }],
    [
      'a limit, where there is one',
      { limits: { memory: '8Gi' } },
      { memory: '1Gi' },
      { requests: { memory: '1Gi' }, limits: { memory: '1Gi' } },
    ],
    ['nothing, where it is empty', { requests: { cpu: '1' } }, { cpu: '' }, { requests: { cpu: '1' } }],
    ['nothing at all', {}, { cpu: '', F: 'a' }, {}],
    ['a batch: the largest', { requests: { cpu: '1' } }, { cpu: '500m\n250m' }, { requests: { cpu: '500m' } }],
    [
      'a batch with an empty one: the template counts',
      { requests: { cpu: '1' } },
      { cpu: '500m\n' },
      { requests: { cpu: '1' } },
    ],
    ['a batch with an empty one, and none in the template', {}, { cpu: '500m\n' }, { requests: { cpu: '500m' } }],
  ])('%s', (_, own, columns, expected) => {
    expect(resourcesOf(own, columns)).toEqual(expected);
  });

  test('of the first container only', () => {
    const job = jobOf([{}, { resources: { requests: { cpu: '1' } } }]);
    const { containers } = forItem(job, itemOf({ cpu: '2' })).spec.template.spec;
    expect(containers.map(({ resources }) => resources?.requests?.cpu)).toEqual(['2', '1']);
  });

  test.each([
    ['without the annotation', {}, itemOf({ cpu: '2' })],
    ['with "false"', { 'muster.run/resources-from-items': 'false' }, itemOf({ cpu: '2' })],
    ['of an item that is not known', ON, null],
  ])('never %s', (_, annotations, item) => {
    const job = jobOf([{}], annotations);
    expect(forItem(job, item)).toBe(job);
    expect(sizeOfItem(job, item)).toBeNull();
  });
});

describe('the image that an item says', () => {
  const IMAGE = { 'muster.run/image-from-items': 'true' };
  test.each<[string, Record<string, string>, Record<string, string>, readonly string[], string | null]>([
    ['is that of the first container', IMAGE, { image: 'a:1' }, ['a:1', 'i'], 'a:1'],
    ['is the template’s, if it is empty', IMAGE, { image: '' }, ['i', 'i'], null],
    ['is a variable without the annotation', ON, { image: 'a:1' }, ['i', 'i'], null],
  ])('%s', (_, annotations, columns, images, image) => {
    const job = jobOf([{}, {}], annotations);
    const { containers } = forItem(job, itemOf(columns)).spec.template.spec;
    expect(containers.map((container) => container.image)).toEqual(images);
    expect(imageOfItem(job, itemOf(columns))).toBe(image);
  });

  test('goes with its size', () => {
    const job = jobOf([{}], { ...ON, ...IMAGE });
    expect(forItem(job, itemOf({ image: 'a:1', cpu: '2' })).spec.template.spec.containers[0]).toMatchObject({
      image: 'a:1',
      resources: { requests: { cpu: '2' } },
    });
  });
});

describe('the size of the task of an item', () => {
  const side = { resources: { requests: { cpu: '250m', memory: '256Mi' } } };
  test.each<[string, readonly Partial<Container>[], Record<string, string>, readonly (number | null)[]]>([
    ['is the smallest that holds it', [{}], { cpu: '1', memory: '1Gi' }, [1024, 2048, null]],
    ['grows with memory', [{}], { memory: '17Gi' }, [4096, 17 * 1024, null]],
    [
      'is the template’s, where the item says nothing',
      [{ resources: { requests: { cpu: '2' } } }],
      { cpu: '' },
      [2048, 4096, null],
    ],
    ['has room for what runs beside', [{}, side], { cpu: '250m', memory: '512Mi' }, [512, 1024, null]],
    ['has more disk', [{}], { 'ephemeral-storage': '50Gi' }, [256, 512, 50]],
    ['has no less disk than every task', [{}], { 'ephemeral-storage': '5Gi' }, [256, 512, null]],
    [
      'has the least disk that can be asked for, where the template asks for more',
      [{ resources: { requests: { 'ephemeral-storage': '60Gi' } } }],
      { 'ephemeral-storage': '1Gi' },
      [256, 512, 21],
    ],
    ['is one for a batch', [{}], { cpu: '1\n4\n2', memory: '1Gi\n1Gi\n9Gi' }, [4096, 9 * 1024, null]],
  ])('%s', (_, containers, columns, [cpu, memoryMib, ephemeralStorageGib]) => {
    expect(sizeOfItem(jobOf(containers), itemOf(columns))).toEqual({ cpu, memoryMib, ephemeralStorageGib });
  });
});

test('sizes are counted among what a launch may say', () => {
  const [plain, sized] = [jobOf([{}], {}), jobOf([{}])];
  const largest = { cpu: 32_768, memoryMib: 249_856, ephemeralStorageGib: 200 };
  const more = JSON.stringify(overridesRequest([], [], [], largest)).length;
  expect(overridesCharsMax(sized) - overridesCharsMax(plain)).toBe(
    more - JSON.stringify(overridesRequest([], [], [], null)).length,
  );
  expect(overridesRequest(['main'], [], [], { ...largest, ephemeralStorageGib: null })).toEqual({
    containerOverrides: [{ name: 'main', environment: [] }],
    cpu: '32768',
    memory: '249856',
  });
});
