/** Parts of an image's name that the engine takes apart (distribution/reference): without a tag it would pull all of them. */
export type ImageName = {
  /** with its registry, if it names one */
  readonly repository: string;
  /** a tag, or a digest (`sha256:…`) */
  readonly tag: string;
  /** whose credentials are used */
  readonly registry: string;
};

/** Docker's own registry has two names. */
const DOCKER_HUB = 'https://index.docker.io/v1/';

/** `python:3.12`, `localhost:5000/app`, `ghcr.io/me/app@sha256:…`. Pure; what is no name the engine refuses. */
export function parseImageName(image: string): ImageName {
  const digestAt = image.indexOf('@');
  const named = digestAt === -1 ? image : image.slice(0, digestAt);
  const slash = named.lastIndexOf('/');
  const colon = named.indexOf(':', slash + 1);
  const repository = colon === -1 ? named : named.slice(0, colon);
  const tag = digestAt !== -1 ? image.slice(digestAt + 1) : colon === -1 ? 'latest' : named.slice(colon + 1);
  const first = repository.includes('/') ? (repository.split('/')[0] ?? '') : '';
  const isRegistry = first.includes('.') || first.includes(':') || first === 'localhost';
  return { repository, tag, registry: isRegistry && first !== 'docker.io' ? first : DOCKER_HUB };
}
