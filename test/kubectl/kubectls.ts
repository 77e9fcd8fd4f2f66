import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import * as z from 'zod';

export type Kubectl = {
  readonly path: string;
  /** `1.33` */
  readonly name: string;
  /** The second number of its version: 33. */
  readonly minor: number;
  /** Debian's kubernetes-client. */
  readonly isDebians: boolean;
};

/** Where `.ci/install-debian` unpacks Debian's packages if something else is installed in their place. */
export const DEBIAN = join(import.meta.dirname, '../../.debian');
const SYSTEM = '/usr/bin/kubectl';
/** From here on Jobs have all the fields that are tested; what is older is Debian's. */
const OLDEST_MINOR = 30;
/** From here on bodies come as protobuf. */
const PROTOBUF_MINOR = 32;

const VersionSchema = z.object({ clientVersion: z.object({ minor: z.string(), gitTreeState: z.string() }) });

/**
 * The kubectls that the session is held with, by version: all that `$MUSTER_KUBECTLS` lists (with colons or spaces
 * between), the oldest and the newest since 1.30 on the PATH and beside what is there, and Debian's.
 */
export function findKubectls(): readonly Kubectl[] {
  const here = near();
  const recent = here.filter(({ minor }) => minor >= OLDEST_MINOR).toSorted((a, b) => a.minor - b.minor);
  const debians = here.find(({ isDebians }) => isDebians) ?? asKubectl(join(DEBIAN, 'usr/bin/kubectl'));
  const chosen = [debians, recent[0], recent.at(-1)].filter((each) => each !== null && each !== undefined);
  return oneOfEach([...listed(), ...chosen]);
}

function listed(): readonly Kubectl[] {
  const paths = (process.env['MUSTER_KUBECTLS'] ?? '').split(/[:\s]+/).filter((path) => path !== '');
  return paths.map((path) => {
    const found = asKubectl(path);
    if (found === null) throw new Error(`MUSTER_KUBECTLS: ${path} is no kubectl that can be run`);
    return found;
  });
}

const near = (): readonly Kubectl[] => onPath().flatMap((path) => asKubectl(path) ?? []);

/** By version, oldest first; of two of the same version, the last. */
const oneOfEach = (kubectls: readonly Kubectl[]): readonly Kubectl[] =>
  [...new Map(kubectls.map((each) => [each.name, each])).values()].toSorted((a, b) => a.minor - b.minor);

/** All kubectls since 1.30 on the PATH, beside what is there, and in `$MUSTER_KUBECTLS`, one of each version. */
export const recentKubectls = (): readonly Kubectl[] =>
  oneOfEach([...listed(), ...near()].filter(({ minor }) => minor >= OLDEST_MINOR));

/** What `kubectls` lack for a session that shows what is promised: one sentence a gap. */
export function gapsOf(kubectls: readonly Kubectl[]): readonly string[] {
  const recent = kubectls.filter(({ minor }) => minor >= OLDEST_MINOR);
  return [
    ...(kubectls.some(({ isDebians }) => isDebians) ? [] : ["Debian's kubectl is missing: .ci/install-debian gets it"]),
    ...(recent.length >= 2
      ? []
      : [`fewer than two kubectls since 1.${OLDEST_MINOR} on the PATH and in $MUSTER_KUBECTLS`]),
    ...(recent.some(({ minor }) => minor >= PROTOBUF_MINOR)
      ? []
      : [`no kubectl since 1.${PROTOBUF_MINOR}: nobody sends protobuf`]),
  ];
}

/** Every kubectl on the PATH, and `kubectl.1.NN` beside the real file: some are launchers that pick one of these. */
function onPath(): readonly string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const direct = folders.map((folder) => join(folder, 'kubectl')).filter((path) => existsSync(path));
  const beside = [...new Set(direct.map((path) => dirname(realpathSync(path))))].flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => /^kubectl\.1\.\d+$/.test(file))
      .map((file) => join(folder, file)),
  );
  // A launcher chooses by the server's version: the kubectl that it launches is asked for instead.
  return beside.length > 0 ? beside : direct;
}

function asKubectl(path: string): Kubectl | null {
  const { stdout, status } = spawnSync(path, ['version', '--client', '-o', 'json'], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  if (status !== 0) return null;
  const { clientVersion } = VersionSchema.parse(JSON.parse(stdout));
  const minor = Number.parseInt(clientVersion.minor, 10);
  const isDebians =
    path.startsWith(DEBIAN) || (realpathSync(path) === SYSTEM && clientVersion.gitTreeState === 'archive');
  return { path, name: `1.${minor}`, minor, isDebians };
}
