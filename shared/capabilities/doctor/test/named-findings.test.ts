import { expect, test } from 'vitest';
import { aMixedServer } from '../../../../test/cli/outcomes/a-mixed-job.ts';
import { START } from '../../../../test/kube/a-world.ts';

// Index 1 has failed, 2 runs again after a failure.

const annotations = { 'muster.run/items': 'FILE\napple.txt\nmy banana.txt\nKöln.txt\ndamson.txt\nelder.txt' };
const aListServer = async () => aMixedServer({}, {}, { annotations });
type AListServer = Awaited<ReturnType<typeof aListServer>>;

/** What is found of a kind. */
const found = async ({ json }: AListServer, wanted: string): Promise<string> => {
  const { findings } = (await json('/muster/v1/namespaces/default/jobs/sums/diagnosis')) as {
    findings: { kind: string; what: string }[];
  };
  return findings.flatMap(({ kind, what }) => (kind === wanted ? [what] : [])).join('\n');
};

test('failures name the items of their indexes', async () => {
  const failed = await found(await aListServer(), 'PodsFailed');
  expect(failed).toMatch(/^exit code 2: index 1 \(my banana\.txt\); the log of index 1 \(my banana\.txt\) ends with/m);
  expect(failed).toMatch(/^exit code 3: index 2 \(Köln\.txt\); /m);
});

test('a verdict names the item of the index that decided it', async () => {
  const server = await aListServer();
  const verdict = { kind: 'failed', reason: 'FailedIndexes', message: 'Job has failed indexes', decidedBy: 1 } as const;
  await server.world.commit('sums', [], { phase: { kind: 'finished', verdict, since: START, at: START } });
  expect(await found(server, 'JobFailed')).toContain('decided by index 1 (my banana.txt);');
});
