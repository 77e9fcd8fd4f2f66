import { expect } from 'vitest';
import { PODS, type World } from '../a-world.ts';

/** Says that items say in which image they run. */
export const FLAG = 'muster.run/image-from-items';

/** A Job whose items say that, with annotations that say or name them. */
export const jobOf = (annotations: Record<string, string>, container: object = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'many', annotations: { [FLAG]: 'true', ...annotations } },
  spec: {
    template: {
      spec: {
        restartPolicy: 'Never',
        containers: [
          { name: 'main', image: 'own:1', command: ['x'], ...container },
          { name: 'side', image: 'side:1', command: ['x'] },
        ],
      },
    },
  },
});

export const imagesUpTo = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `i:${i}`);

export const TOO_MANY = 'so far there are more than 20 images; a Job may have 20, each with a task definition';

/** Those of the items of {@link expectShown}'s Job; an item without one runs in that of the template. */
export const IMAGES = ['a:1', '', 'b:2'];

type Shown = {
  readonly items: readonly {
    readonly spec: { readonly containers: readonly { readonly image: string }[] };
    readonly status: { readonly containerStatuses: readonly { readonly image: string }[] };
  }[];
};

/** Each Pod of the Job shows the image of its item, in its spec and in its status. */
export async function expectShown(world: World): Promise<void> {
  await world.commit(
    'many',
    [0, 1, 2].flatMap((index) => [{ op: 'claim', index } as const, { op: 'running', index } as const]),
  );
  const { items } = (await (await world.get(`${PODS}?labelSelector=job-name%3Dmany`)).json()) as Shown;
  const shown = [
    ['a:1', 'side:1'],
    ['own:1', 'side:1'],
    ['b:2', 'side:1'],
  ];
  expect(items.map(({ spec }) => spec.containers.map(({ image }) => image))).toEqual(shown);
  expect(items.map(({ status }) => status.containerStatuses.map(({ image }) => image))).toEqual(shown);
}
