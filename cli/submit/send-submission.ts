import * as z from 'zod';
import { readAs } from '../client/kube-client.ts';
import { reach, type ChangeFlags } from '../client/reach.ts';
import { alteredNumbers } from '../../shared/schema/text/altered-numbers.ts';
import { alteredFaults } from '../../shared/schema/submission/own-message.ts';
import { EXIT, usageFailure } from '../shell/failure.ts';
import { readWritten } from '../shell/manifest-file.ts';
import type { Shell } from '../shell/shell.ts';

const Accepted = z.object({ id: z.string() });
const Own = z.looseObject({
  namespace: z.unknown().optional(),
  from: z.looseObject({ namespace: z.unknown().optional() }).optional(),
  manifest: z.looseObject({ metadata: z.looseObject({ namespace: z.unknown().optional() }).optional() }).optional(),
});

/** Sends a message to the submit queue, which makes a Job of it. */
export async function sendSubmission(file: string, flags: ChangeFlags, shell: Shell): Promise<number> {
  const { value: message, text } = await readWritten(file, shell);
  refuseAlteredNumbers(message, text);
  const client = await reach(flags.kubeconfig, shell);
  const namespace = flags.namespace ?? client.target.namespace;
  const { object } = await client.create('/muster/v1/submissions', placed(message, namespace));
  const { id } = readAs(Accepted, object, client.target);
  shell.out.write(`submission ${id} accepted\n`);
  return EXIT.ok;
}

/** What is sent is written anew, so the server could not see them. */
function refuseAlteredNumbers(message: unknown, text: string): void {
  if (!Own.safeParse(message).success) return;
  const numbers = alteredNumbers(text, text.trimStart().startsWith('{') ? 'json' : 'yaml');
  const within = numbers.flatMap(({ path: [field, ...path], ...number }) =>
    field === 'detail' ? [{ ...number, path }] : [{ ...number, path: [field ?? '', ...path] }],
  );
  const [fault] = alteredFaults(within);
  if (fault !== undefined) throw usageFailure(`the message is invalid: ${fault.path}: ${fault.message}`);
}

/** A message of ours that says no namespace gets that of the command. What services write stays as it is. */
function placed(message: unknown, namespace: string): unknown {
  const own = Own.safeParse(message);
  if (!own.success || (own.data.from === undefined && own.data.manifest === undefined)) return message;
  const { from, manifest } = own.data;
  const said = own.data.namespace ?? from?.namespace ?? manifest?.metadata?.namespace;
  return said === undefined ? { ...own.data, namespace } : message;
}
