import { createHash, randomBytes } from 'node:crypto';

/** How long a link waits to be opened, and how long a browser stays signed in. */
const LINK_SEC = 60;
export const SESSION_SEC = 12 * 3_600;
/** More than somebody has windows; the oldest goes first. */
const KEPT_MAX = 256;

/** Who is signed in, by secrets that browsers hold; in memory, so that a new runtime knows nobody. */
export type SignIns = {
  /** A secret that can be redeemed once, within a minute. `credentials`: the header that authenticates its user. */
  offer(credentials: string): string;
  /** The secret of a new session; null: the link is unknown, used, or too old. */
  redeem(link: string): string | null;
  /** null: there is no such session. Whether the credentials still hold is for the API to say, at each request. */
  credentialsOf(session: string): string | null;
  end(session: string): void;
};

type Kept = { readonly credentials: string; readonly untilMs: number };

export function createSignIns(now: () => number): SignIns {
  const links = new Map<string, Kept>();
  const sessions = new Map<string, Kept>();
  const keep = (where: Map<string, Kept>, credentials: string, sec: number): string => {
    for (const [key, { untilMs }] of where) if (untilMs <= now() || where.size >= KEPT_MAX) where.delete(key);
    const secret = randomBytes(32).toString('base64url');
    where.set(digestOf(secret), { credentials, untilMs: now() + sec * 1000 });
    return secret;
  };
  const credentialsIn = (where: ReadonlyMap<string, Kept>, secret: string): string | null => {
    const kept = where.get(digestOf(secret));
    return kept === undefined || kept.untilMs <= now() ? null : kept.credentials;
  };
  return {
    offer: (credentials) => keep(links, credentials, LINK_SEC),
    redeem(link) {
      const credentials = credentialsIn(links, link);
      links.delete(digestOf(link));
      return credentials === null ? null : keep(sessions, credentials, SESSION_SEC);
    },
    credentialsOf: (session) => credentialsIn(sessions, session),
    end: (session) => void sessions.delete(digestOf(session)),
  };
}

/** So that the time of a look-up tells nothing of a secret. */
const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url');
