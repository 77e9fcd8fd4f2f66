/** Which objects in S3 a CronJob makes Jobs for. */
export type ObjectPattern = {
  readonly bucket: string;
  /** The parts of a key between the stars, of which there is one fewer. */
  readonly key: readonly string[];
};

/** General purpose buckets (S3 user guide, bucket naming rules). */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const KEY_CHARS_MAX = 1_024;

/**
 * Parses `BUCKET/KEY`, where a `*` in the key stands for any text, slashes included: `uploads/incoming/*.csv`. null: any other
 * text.
 */
export function parseObjectPattern(text: string): ObjectPattern | null {
  const slash = text.indexOf('/');
  const [bucket, key] = [text.slice(0, slash), text.slice(slash + 1)];
  if (slash < 0 || !BUCKET.test(bucket) || key === '' || key.length > KEY_CHARS_MAX) return null;
  return { bucket, key: key.split('*') };
}

/** Whether an object is in such a place. Takes time linear in the key for each star. */
export function matchesObject({ bucket, key: parts }: ObjectPattern, of: { bucket: string; key: string }): boolean {
  if (of.bucket !== bucket) return false;
  const [first = '', ...others] = parts;
  const last = others.pop();
  if (last === undefined) return of.key === first;
  if (of.key.length < first.length + last.length || !of.key.startsWith(first) || !of.key.endsWith(last)) return false;
  const end = of.key.length - last.length;
  let at = first.length;
  for (const part of others) {
    const found = of.key.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
