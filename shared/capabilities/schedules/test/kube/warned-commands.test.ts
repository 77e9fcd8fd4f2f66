import { expect, test } from 'vitest';
import { aWorld } from '../../../../../test/kube/a-world.ts';

/** The fields that the warnings of an answer name, of those about commands. */
const warnedFields = (answer: Response): readonly string[] =>
  [...(answer.headers.get('warning') ?? '').matchAll(/"(spec[^ ]*\.(?:command|args)): /g)].map(
    ([, field = '']) => field,
  );

test('where no image is pulled, a CronJob is stored with a warning for each container that says nothing to run', async () => {
  const spec = {
    restartPolicy: 'Never',
    containers: [
      { name: 'a', image: 'b', command: ['true'] },
      { name: 'c', image: 'd' },
      { name: 'd', image: 'd', args: ['true'] },
    ],
    initContainers: [{ name: 'i', image: 'b', restartPolicy: 'Always' }],
  };
  const document = {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'nightly' },
    spec: { schedule: '0 1 * * *', jobTemplate: { spec: { template: { spec } } } },
  };
  const fields = async (needsCommand: boolean) =>
    warnedFields(await (await aWorld({ needsCommand })).post('/apis/batch/v1/namespaces/default/cronjobs', document));
  expect(await fields(true)).toEqual(
    ['spec.containers[1].command', 'spec.initContainers[0].command', 'spec.containers[2].args'].map(
      (field) => `spec.jobTemplate.spec.template.${field}`,
    ),
  );
  expect(await fields(false)).toEqual([]);
});
