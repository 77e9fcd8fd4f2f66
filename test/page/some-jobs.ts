import { indexed, shellJob } from '../e2e/kube-calls.ts';

/** Items, messages, and lines that would do harm if anything were made of them but text. */
export const HOSTILE = `<img src=x onerror="window.harmed=1"><script>window.harmed=1</script>\u202e&amp;"'`;

/** A Job whose indexes 1 and 4 fail for good; 3 of a rule. */
export const mixedJob = (name: string): object => ({
  ...shellJob(
    name,
    'echo "begin $JOB_COMPLETION_INDEX"; case $JOB_COMPLETION_INDEX in 1|4) echo broken >&2; exit 3;; 3) exit 42;; esac; echo end',
    {
      ...indexed(6, 6),
      backoffLimitPerIndex: 1,
      podFailurePolicy: {
        rules: [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [42] } }],
      },
    },
  ),
});

/** A Job whose tasks run until they are stopped. */
export const longJob = (name: string, size = 4): object =>
  shellJob(name, 'echo started; exec sleep 3600', { ...indexed(size, size), backoffLimitPerIndex: 1 });
