import * as z from 'zod';
import { readAs } from '../client/kube-client.ts';
import { reach } from '../client/reach.ts';
import { EXIT } from '../failure.ts';
import { readManifest } from '../manifest-file.ts';
import type { Shell } from '../shell.ts';
import type { ChangeFlags } from '../commands/change.ts';

const Accepted = z.object({ id: z.string() });
const Own = z.looseObject({
  namespace: z.unknown().optional(),
  from: z.looseObject({ namespace: z.unknown().optional() }).optional(),
  manifest: z.looseObject({ metadata: z.looseObject({ namespace: z.unknown().optional() }).optional() }).optional(),
});

/** Sends a message to the submit queue, which makes a Job of it. */
export async function sendSubmission(file: string, flags: ChangeFlags, shell: Shell): Promise<number> {
  const message = await readManifest(file, shell);
  const client = await reach(flags.kubeconfig, shell);
  const namespace = flags.namespace ?? client.target.namespace;
  const { object } = await client.create('/muster/v1/submissions', placed(message, namespace));
  const { id } = readAs(Accepted, object, client.target);
  shell.out.write(`submission ${id} accepted\n`);
  return EXIT.ok;
}

/** A message of ours that says no namespace gets that of the command. What services write stays as it is. */
function placed(message: unknown, namespace: string): unknown {
  const own = Own.safeParse(message);
  if (!own.success || (own.data.from === undefined && own.data.manifest === undefined)) return message;
  const { from, manifest } = own.data;
  const said = own.data.namespace ?? from?.namespace ?? manifest?.metadata?.namespace;
  return said === undefined ? { ...own.data, namespace } : message;
}
