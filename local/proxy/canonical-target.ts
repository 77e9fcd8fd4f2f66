/** A request's target in its canonical spelling, which all servers read alike. */
export type Target = {
  /** With the prefix; each segment percent-encoded once. */
  readonly path: string;
  /** Decoded, in the client's order. */
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Path and query as sent. */
  readonly url: string;
};

/**
 * Rewrites a request's target by RFC 3986, with every allowed character encoded. A signature covers the canonical
 * spelling. The meaning of any other spelling (`+` for a space, a bare `:` or `,`) would depend on the receiver.
 * Resolves dot segments, so that none leaves the prefix. null if it cannot be decoded.
 */
export function canonicalTarget(target: string, prefix: string): Target | null {
  const cut = target.indexOf('?');
  const rawPath = cut === -1 ? target : target.slice(0, cut);
  const segments: string[] = [];
  for (const raw of rawPath.split('/')) {
    const segment = decoded(raw);
    if (segment === null) return null;
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(encoded(segment));
  }
  const end = segments.length > 0 && rawPath.endsWith('/') ? '/' : '';
  const path = `${prefix}/${segments.join('/')}${end}`;
  const query = cut === -1 ? [] : [...new URLSearchParams(target.slice(cut + 1))];
  const search = query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
  return { path, query, url: search === '' ? path : `${path}?${search}` };
}

/** Everything except letters, digits, and `-._~`; encodeURIComponent leaves five more. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
