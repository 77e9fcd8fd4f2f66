import type { EndedAttempt } from '../../../cli/client/api-objects.ts';
import {
  type Counts,
  attemptsOf,
  countsOf,
  createJob,
  endOf,
  indexed,
  logOf,
  runJob,
  shellJob,
  toldCounts,
} from '../ground.ts';
import { type Question, verdict } from '../question.ts';

type Ends = Counts & { readonly exitCodes: readonly (number | null)[] };

const exitCodesOf = (attempts: readonly EndedAttempt[]): readonly (number | null)[] =>
  attempts.map(({ exitCode }) => exitCode);

const told = (seen: Ends): string => `${seen.exitCodes.join(', ')}: ${toldCounts(seen)}`;

/** Exit codes, as the events carry them. */
export const exitCodes: Question<Ends> = {
  name: 'exit-codes',
  asks: 'Does each index end with the exit code of its own task?',
  assumed: '0, 3, 143, one success and two failures; a program that ends with 143 is not taken for a stop',
  async observe(ground) {
    const script = 'case $JOB_COMPLETION_INDEX in 0) exit 0;; 1) exit 3;; *) exit 143;; esac';
    const job = await runJob(ground, 'exit-codes', script, { ...indexed(3), backoffLimitPerIndex: 0 });
    return { ...countsOf(job), exitCodes: exitCodesOf(await attemptsOf(ground, 'exit-codes')) };
  },
  judge: (seen) => verdict([seen.exitCodes.join() === '0,3,143', seen.succeeded === 1, seen.failed === 2], told(seen)),
};

/** A failed attempt is replaced by a task of its own. */
export const retry: Question<Ends> = {
  name: 'retry',
  asks: 'Is a failed attempt followed by a new task, with a number of its own?',
  assumed: '1, then 0: Complete, 1 succeeded, 1 failed',
  async observe(ground) {
    const job = await runJob(ground, 'retry', '[ "$MUSTER_ATTEMPT" -gt 1 ]', { ...indexed(1), backoffLimit: 3 });
    return { ...countsOf(job), exitCodes: exitCodesOf(await attemptsOf(ground, 'retry')) };
  },
  judge: (seen) => verdict([seen.exitCodes.join() === '1,0', seen.end === 'Complete', seen.failed === 1], told(seen)),
};

type Containers = Ends & { readonly log: readonly string[] };

/** ECS documents no order of containers, neither in events nor in overrides. */
export const mainContainer: Question<Containers> = {
  name: 'main-container',
  asks: 'Does the main container decide, beside an init container, a sidecar, and one that ends first with 9?',
  assumed:
    '0, 5: the main container is marked in the overrides, which events repeat; it reads what the init container wrote',
  async observe(ground) {
    const { image } = ground;
    const mount = { volumeMounts: [{ name: 'note', mountPath: '/note' }] };
    const shell = (name: string, script: string) => ({ name, image, command: ['sh', '-c', script] });
    const script = 'cat "$MUSTER_VOLUME_NOTE/note"; sleep 5; exit $((JOB_COMPLETION_INDEX * 5))';
    const job = shellJob(ground, 'main-container', script, {
      ...indexed(2),
      backoffLimitPerIndex: 0,
      pod: {
        volumes: [{ name: 'note', emptyDir: {} }],
        initContainers: [
          { ...shell('first', 'echo written first > "$MUSTER_VOLUME_NOTE/note"'), ...mount },
          { ...shell('aside', 'exec sleep 600'), restartPolicy: 'Always' },
        ],
        containers: [shell('early', 'exit 9')],
      },
    });
    await createJob(ground, mounting(job, mount));
    const ended = await endOf(ground, 'main-container');
    const attempts = await attemptsOf(ground, 'main-container');
    return {
      ...countsOf(ended),
      exitCodes: exitCodesOf(attempts),
      log: await logOf(ground, attempts[0]?.pod ?? ''),
    };
  },
  judge: (seen) =>
    verdict(
      [seen.exitCodes.join() === '0,5', seen.succeeded === 1, seen.failed === 1, seen.log.join() === 'written first'],
      `${told(seen)}; it read: ${seen.log.join()}`,
    ),
};

type Template = { readonly spec: { readonly template: { readonly spec: { readonly containers: readonly object[] } } } };

/** The Job with a mount in its main container. */
function mounting(job: object, mount: object): object {
  const { spec } = job as Template;
  const [main, ...others] = spec.template.spec.containers;
  const podSpec = { ...spec.template.spec, containers: [{ ...main, ...mount }, ...others] };
  return { ...job, spec: { ...spec, template: { spec: podSpec } } };
}
