import type { Command } from 'commander';
import { usageFailure } from '../shell/failure.ts';
import type { Shell } from '../shell/shell.ts';
import { type Done, common, examples, namespaceOption } from '../shell/command-parts.ts';

const EXAMPLES = examples(
  'muster submit -f message.json',
  `echo '{"from": {"kind": "CronJob", "name": "report"}, "id": "2026-11-23"}' | muster submit -f -`,
  `echo '{"from": {"kind": "CronJob", "name": "report"}, "items": ["a", "b"], "env": {"DAY": "1"}}' | muster submit -f -`,
  'muster submit -f s3-notification.json   # as S3 writes it, to try an annotation out',
);

const RULES = `
The message goes to the queue that EventBridge, Scheduler, S3, SNS, and Step Functions send to, and may have their shapes.
One with an id makes one Job, however often it is sent. What is refused later is an Event on the namespace.

Exit codes:
  0 accepted    1 refused    2 the command line is wrong
`;

type SubmitOptions = { readonly filename?: string; readonly namespace?: string };

export function addSubmit(program: Command, shell: Shell, done: Done): void {
  program
    .command('submit')
    .summary('send a message that makes a Job')
    .description('Sends a message to the submit queue, which makes a Job of it.')
    .option('-f, --filename <file>', 'required: the message, JSON or YAML; - is standard input')
    .addOption(namespaceOption())
    .addHelpText('after', `${EXAMPLES}${RULES}`)
    .action(async (flags: SubmitOptions) => {
      const { filename = null } = flags;
      if (filename === null) throw usageFailure('give -f, such as -f message.json');
      const { sendSubmission } = await import('../submit/send-submission.ts');
      done(await sendSubmission(filename, common(program, flags), shell));
    });
}
