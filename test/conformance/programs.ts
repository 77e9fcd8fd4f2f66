/** What a Job of these cases runs, in a shell. Marker files lie in the workspace, where upstream has a volume of the node. */
export const PROGRAMS = {
  succeed: 'exit 0',
  fail: 'exit 1',
  neverEnd: 'exec sleep 1000000',
  /** One Pod of the whole Job fails, whichever is first to make the folder. */
  failOnce: (job: string): string => `if mkdir "${job}" 2>/dev/null; then exit 1; fi`,
  /** The first Pod of each index fails. */
  failOncePerIndex: (job: string): string => `if mkdir "${job}-$JOB_COMPLETION_INDEX" 2>/dev/null; then exit 42; fi`,
  /** The first Pod of each index runs on for ever, the second succeeds. */
  neverEndOncePerIndex: (job: string): string =>
    `if mkdir "${job}-$JOB_COMPLETION_INDEX" 2>/dev/null; then exec sleep 1000000; fi`,
  failOddSucceedEven: 'exit $((JOB_COMPLETION_INDEX % 2))',
  /** Takes five seconds to end when it is asked to. */
  slowToStop: 'trap "sleep 5; exit 143" TERM; while true; do sleep 0.2; done',
} as const;

export type JobParts = {
  readonly name: string;
  readonly script: string;
  readonly spec?: object;
  readonly labels?: Readonly<Record<string, string>>;
  readonly pod?: object;
};

/** The manifest of a case's Job. By default two Pods at a time, four completions, six failures, Pods that are not restarted. */
export const aJob = ({ name, script, spec = {}, labels = {}, pod = {} }: JobParts): object => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, labels },
  spec: {
    parallelism: 2,
    completions: 4,
    backoffLimit: 6,
    ...spec,
    template: {
      spec: {
        restartPolicy: 'Never',
        containers: [{ name: 'c', image: 'busybox', command: ['sh', '-c', script] }],
        ...pod,
      },
    },
  },
});
