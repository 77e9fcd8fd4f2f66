import type { PodSpec } from '../manifests/pod-spec.ts';
import type { PullSource } from './pod-sources.ts';

/** Whose credentials an image is pulled with. */
export type PullCredentials = {
  /** The Secret. */
  readonly name: string;
  /** Of a stored Secret: the version, and for which registries in it they are. Omitted: what somebody made by hand, as it is now. */
  readonly stored?: { readonly version: string; readonly registry: string };
};

/**
 * The credentials of an image among those that a Pod names, as the kubelet chooses them (kubernetes, pkg/credentialprovider): of all
 * Secrets the entry whose registry says most of the image, and of those that say the same the first. The kubelet tries the others,
 * too; ECS takes one. Where no stored Secret has any, a Secret that is not stored may have been made by hand.
 *
 * @param pulls what is stored, by name
 * @returns null: it is pulled without
 */
export function pullCredentialsOf(
  image: string,
  { imagePullSecrets = [] }: Pick<PodSpec, 'imagePullSecrets'>,
  pulls: ReadonlyMap<string, PullSource>,
): PullCredentials | null {
  if (imagePullSecrets.length === 0) return null;
  const stored = imagePullSecrets.flatMap(({ name }) => {
    const source = pulls.get(name);
    return source === undefined
      ? []
      : source.registries.map((registry) => ({ name, version: source.version, registry }));
  });
  const repository = repositoryOf(image);
  const best = stored
    .filter(({ registry }) => isOf(registry, repository))
    .reduce<(typeof stored)[number] | null>(
      (most, each) => (most === null || each.registry > most.registry ? each : most),
      null,
    );
  const found =
    best ?? (repository.startsWith(`${HUB}/`) ? stored.find(({ registry }) => registry === HUB_LOGIN) : undefined);
  if (found !== undefined) {
    const { name, version, registry } = found;
    return { name, stored: { version, registry } };
  }
  return imagePullSecrets.find(({ name }) => !pulls.has(name)) ?? null;
}

/** Docker's registry, as images name it, and as `docker login` does. */
const HUB = 'docker.io';
const HUB_LOGIN = 'index.docker.io';

/** An image's name with its registry, and without tag and digest (distribution/reference, `ParseNormalizedNamed`). */
function repositoryOf(image: string): string {
  const [named = ''] = image.split('@');
  const slash = named.indexOf('/');
  const first = slash === -1 ? '' : named.slice(0, slash);
  const isRegistry = /[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase();
  const path = (isRegistry ? named.slice(slash + 1) : named).replace(/:[^/]*$/, '');
  if (isRegistry && first !== HUB && first !== HUB_LOGIN) return `${first}/${path}`;
  return path.includes('/') ? `${HUB}/${path}` : `${HUB}/library/${path}`;
}

/**
 * For which registries an entry of a docker configuration is: a host, which may have wildcards, with or without a port and the
 * beginning of a path. A scheme says nothing, and neither do the versions of a registry's API.
 *
 * @param location the entry's key, as in `https://index.docker.io/v1/`
 */
export function registryOf(location: string): string {
  const [, host = '', path = ''] = /^(?:https?:\/\/)?(?:[^/?#]*@)?([^/?#]*)([^?#]*)/.exec(location) ?? [];
  const below = path.replace(/^\/v[12](?=\/)/, '');
  return below === '/' ? host : `${host}${below}`;
}

/** Whether credentials for `registry` are for an image: of the same host and port, and with this beginning of its path. */
function isOf(registry: string, repository: string): boolean {
  const [wanted, given] = [partsOf(registry), partsOf(repository)];
  return (
    wanted.port === given.port &&
    wanted.labels.length === given.labels.length &&
    given.path.startsWith(wanted.path) &&
    wanted.labels.every((label, nth) => matchesLabel(label, given.labels[nth] ?? ''))
  );
}

function partsOf(place: string) {
  const slash = place.indexOf('/');
  const authority = slash === -1 ? place : place.slice(0, slash);
  const [, host = authority, port = ''] = /^\[?(.*?)\]?:(\d*)$/.exec(authority) ?? [];
  return { labels: host.split('.'), port, path: slash === -1 ? '' : place.slice(slash) };
}

type Piece = { readonly matches: (char: string) => boolean };

/**
 * A label of a host and a pattern of it: `*`, and classes such as `[a-c]` (Go, `filepath.Match`; `?` begins the query of a URL). Its
 * time is bounded by the product of both lengths, whatever the pattern.
 */
function matchesLabel(pattern: string, label: string): boolean {
  const pieces = piecesOf(pattern);
  if (pieces === null) return false;
  // After each piece, the lengths of beginnings of the label that match so far.
  let ends: ReadonlySet<number> = new Set([0]);
  for (const piece of pieces) {
    const [least] = ends;
    ends =
      piece === '*'
        ? new Set(least === undefined ? [] : Array.from({ length: label.length - least + 1 }, (_, n) => least + n))
        : new Set([...ends].filter((at) => at < label.length && piece.matches(label.charAt(at))).map((at) => at + 1));
  }
  return ends.has(label.length);
}

/** null: it is no pattern, and matches nothing. */
function piecesOf(pattern: string): readonly (Piece | '*')[] | null {
  const pieces: (Piece | '*')[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern.charAt(at);
    if (char === '*') pieces.push('*');
    else if (char === '[') {
      const [whole = '', not = '', members = ''] = /^\[(\^?)([^\]]+)\]/.exec(pattern.slice(at)) ?? [];
      if (whole === '') return null;
      pieces.push({ matches: (each) => isMember(each, members) !== (not === '^') });
      at += whole.length - 1;
    } else pieces.push({ matches: (each) => each === char });
  }
  return pieces;
}

function isMember(char: string, members: string): boolean {
  for (let at = 0; at < members.length; at += 1) {
    const from = members.charAt(at);
    const isRange = members.charAt(at + 1) === '-' && at + 2 < members.length;
    const to = isRange ? members.charAt(at + 2) : from;
    if (char >= from && char <= to) return true;
    if (isRange) at += 2;
  }
  return false;
}
