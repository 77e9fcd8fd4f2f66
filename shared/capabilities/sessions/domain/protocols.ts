/** How the streams of a session go over its connection. */
export type Protocol = {
  /** As both sides call it; '': the client named none. */
  readonly name: string;
  readonly over: 'websocket' | 'spdy' | 'tunnel';
};

/** What a request says of itself. */
export type UpgradeHeaders = {
  readonly upgrade: string | undefined;
  /** `Sec-WebSocket-Protocol` */
  readonly subprotocols: string | undefined;
  /** `X-Stream-Protocol-Version`; a header that came several times is joined with commas */
  readonly versions: string | undefined;
};

export type Chosen =
  | { readonly kind: 'protocol'; readonly protocol: Protocol }
  | { readonly kind: 'plain' }
  | { readonly kind: 'unknown'; readonly offered: readonly string[]; readonly served: readonly string[] };

type Session = 'streams' | 'portForward';

const SUBPROTOCOLS: Readonly<Record<Session, readonly string[]>> = {
  streams: [
    'v5.channel.k8s.io',
    'v4.channel.k8s.io',
    'v4.base64.channel.k8s.io',
    'channel.k8s.io',
    'base64.channel.k8s.io',
  ],
  portForward: ['v4.channel.k8s.io', 'v4.base64.channel.k8s.io', 'portforward.k8s.io'],
};

const VERSIONS: Readonly<Record<Session, readonly string[]>> = {
  streams: ['v4.channel.k8s.io', 'v3.channel.k8s.io', 'v2.channel.k8s.io', 'channel.k8s.io'],
  portForward: ['portforward.k8s.io'],
};

/** SPDY inside a WebSocket (KEP-4006). */
const TUNNEL = 'SPDY/3.1+portforward.k8s.io';

/**
 * The protocol of a connection: the first that the client names and that is served. A client that names no subprotocol gets the
 * oldest, as with upstream's server.
 */
export function chooseProtocol(session: Session, { upgrade = '', subprotocols, versions }: UpgradeHeaders): Chosen {
  const wanted = upgrade.toLowerCase();
  if (wanted === 'websocket') {
    const offered = wordsOf(subprotocols);
    if (offered.length === 0) return chosen('', 'websocket');
    if (session === 'portForward' && offered.includes(TUNNEL)) return chosen(TUNNEL, 'tunnel');
    const served = SUBPROTOCOLS[session];
    const name = offered.find((each) => served.includes(each));
    return name === undefined ? { kind: 'unknown', offered, served } : chosen(name, 'websocket');
  }
  if (wanted !== 'spdy/3.1') return { kind: 'plain' };
  const offered = wordsOf(versions);
  if (offered.length === 0) return chosen('', 'spdy');
  const served = VERSIONS[session];
  const name = offered.find((each) => served.includes(each));
  return name === undefined ? { kind: 'unknown', offered, served } : chosen(name, 'spdy');
}

const chosen = (name: string, over: Protocol['over']): Chosen => ({ kind: 'protocol', protocol: { name, over } });

const wordsOf = (header: string | undefined): readonly string[] =>
  (header ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

/** Whether the end of a session comes as a Status; before, as text, and only where something went wrong. */
export const hasStatus = ({ name }: Protocol): boolean => /^v[45]\./.test(name);

/** Whether channels and what they carry are text. */
export const isBase64 = ({ name }: Protocol): boolean => name.includes('base64');

/** Whether clients can end their input, and say so. */
export const hasCloseSignal = ({ name }: Protocol): boolean => name === 'v5.channel.k8s.io';

const BEARER = 'base64url.bearer.authorization.k8s.io.';

/**
 * The token that a browser sends as a subprotocol, because it can send no header, and the subprotocols without it. null: there is
 * none, or more than one.
 */
export function tokenIn(
  subprotocols: string | undefined,
): { readonly encoded: string; readonly others: string } | null {
  const words = wordsOf(subprotocols);
  const tokens = words.filter((word) => word.startsWith(BEARER));
  const [token] = tokens;
  if (token === undefined || tokens.length > 1) return null;
  const encoded = token.slice(BEARER.length);
  // Upstream wants another protocol beside it: it must not be sent back.
  const others = words.filter((word) => word !== token);
  return others.length > 0 && /^[\w-]+$/.test(encoded) ? { encoded, others: others.join(', ') } : null;
}
