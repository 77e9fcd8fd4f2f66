import * as z from 'zod';
import { readAs } from '../../../../cli/client/kube-client.ts';
import { type ChangeFlags, reach } from '../../../../cli/client/reach.ts';
import { Failure, isUnknownPath } from '../../../../cli/shell/failure.ts';
import type { Shell } from '../../../../cli/shell/shell.ts';
import { commandWord } from '../../../../cli/text/command-word.ts';
import { openerFor } from '../domain/opener.ts';
import { startOpener } from './start-opener.ts';

export type UiFlags = ChangeFlags & { readonly open: boolean };

const LinkSchema = z.object({ link: z.string().nullable() });

/** `muster ui`: prints where the page is, with a link that signs in where that is needed, and opens it. */
export async function showPage(
  job: string | null,
  { namespace, kubeconfig, open }: UiFlags,
  shell: Shell,
  start = startOpener,
): Promise<number> {
  const client = await reach(kubeconfig, shell);
  const { target } = client;
  const made = await client.create('/ui/links', {}).catch((error: unknown) => {
    if (!isUnknownPath(error)) throw error;
    throw new Failure(
      `error: ${target.server} (${target.file}) has no page: \`${commandWord(shell.env)} local\` has one, and \`${commandWord(shell.env)} proxy\`, for a Muster on AWS`,
    );
  });
  const { link } = readAs(LinkSchema, made.object, target);
  const place =
    job === null ? '' : `ns/${encodeURIComponent(namespace ?? target.namespace)}/jobs/${encodeURIComponent(job)}`;
  const address = `${target.server}/ui/${place}${link === null ? '' : `#link=${link}`}`;
  shell.out.write(`${address}\n`);
  const { isTerminal } = shell.out;
  const opener = openerFor({ platform: process.platform, env: shell.env, isTerminal, isSecret: link !== null });
  if (open && opener !== null) start(opener, address);
  return 0;
}
