import { VERSION } from '../../shared/names/version.ts';
import { VersionSchema } from '../client/api-objects.ts';
import { Failure } from '../shell/failure.ts';
import { reach } from '../client/reach.ts';
import type { ObjectForm } from '../render/object-forms.ts';
import { objectText } from '../render/object-text.ts';
import type { Shell } from '../shell/shell.ts';

export type VersionFlags = {
  readonly kubeconfig: string | null;
  /** null: text for people */
  readonly output: ObjectForm | null;
  /** Does not contact the server. */
  readonly client: boolean;
};

type Versions = { readonly clientVersion: string; readonly server?: ServerVersion };
type ServerVersion = { readonly url: string; readonly version: string; readonly kubernetes: string };

/** `muster version`: prints the version of this program and of the server. A missing server is reported and is not an error. */
export async function printVersion({ kubeconfig, output, client }: VersionFlags, shell: Shell): Promise<number> {
  const asked = client ? null : await askServer(kubeconfig, shell);
  const versions: Versions = { clientVersion: VERSION, ...(asked !== null && 'url' in asked ? { server: asked } : {}) };
  if (output !== null) shell.out.write(objectText(versions, output));
  else shell.out.write(`client  ${VERSION}\n${serverLine(versions.server)}`);
  if (asked instanceof Failure) shell.err.write(`${asked.message}\n`);
  return 0;
}

const serverLine = (server: ServerVersion | undefined): string =>
  server === undefined ? '' : `server  ${server.version} at ${server.url} (Kubernetes ${server.kubernetes})\n`;

async function askServer(kubeconfig: string | null, shell: Shell): Promise<ServerVersion | Failure> {
  try {
    const client = await reach(kubeconfig, shell);
    const { gitVersion, muster = '' } = VersionSchema.parse(await client.get('/version'));
    return { url: client.target.server, version: muster, kubernetes: gitVersion };
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}
