/**
 * Kubernetes' default for `imagePullPolicy`: Always for `latest`. An image without tag and digest is `latest`. A text
 * that is not an image reference has no tag.
 */
export const defaultPullPolicy = (image: string): 'Always' | 'IfNotPresent' =>
  tagOf(image) === 'latest' ? 'Always' : 'IfNotPresent';

// The grammar of github.com/distribution/reference, and the digests that Go supports.
const HOST = String.raw`(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)`;
const DOMAIN = String.raw`(?:${HOST}(?:\.${HOST})*|\[[a-fA-F0-9:]+\])(?::\d+)?`;
const COMPONENT = String.raw`[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*`;
const DIGEST = 'sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128}';
const REFERENCE = new RegExp(
  String.raw`^(?<name>(?:${DOMAIN}/)?${COMPONENT}(?:/${COMPONENT})*)(?::(?<tag>\w[\w.-]{0,127}))?(?:@(?<digest>${DIGEST}))?$`,
);

/** Without tag and digest. */
const NAME_CHARS_MAX = 255;
const IMAGE_CHARS_MAX = NAME_CHARS_MAX + 1 + 128 + 1 + 135;

/** An image id, which is not a valid reference. */
const IMAGE_ID = /^[a-f0-9]{64}$/;

function tagOf(image: string): string {
  if (image.length > IMAGE_CHARS_MAX || IMAGE_ID.test(image)) return '';
  const { name = '', tag, digest } = REFERENCE.exec(image)?.groups ?? {};
  if (name === '' || name.length > NAME_CHARS_MAX) return '';
  return tag ?? (digest === undefined ? 'latest' : '');
}
