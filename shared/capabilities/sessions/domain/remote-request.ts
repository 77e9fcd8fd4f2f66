/** What a client asks for that holds its session by itself, in the body of a POST to `pods/exec`, `attach`, or `portforward`. */
export type RemoteRequest =
  /** `command`: as it is run, a shell that tells how it has ended among its words */
  | { readonly kind: 'run'; readonly container: string | null; readonly command: readonly string[] }
  | { readonly kind: 'forward'; readonly port: number }
  /** Whether it may, and which container is meant. */
  | { readonly kind: 'look'; readonly container: string | null }
  | { readonly kind: 'end'; readonly sessionId: string };

/** The type of such a body: other requests to these paths are for clients that want a connection. */
export const REMOTE_TYPE = 'application/vnd.muster.session+json';

/** Characters of all words together: ECS hands them to Session Manager as one parameter. */
const COMMAND_CHARS_MAX = 30_000;
/** As ECS names those of commands: no other session of the account is ended by this API. */
const SESSION_ID = /^ecs-execute-command-\w{1,64}$/;

/** null: it is none. */
export function remoteRequestIn(value: unknown): RemoteRequest | null {
  if (typeof value !== 'object' || value === null) return null;
  const { kind, container = null, command, port, sessionId } = value as Record<string, unknown>;
  const named = typeof container === 'string' || container === null ? container : undefined;
  if (named === undefined) return null;
  switch (kind) {
    case 'run':
      return isCommand(command) ? { kind, container: named, command } : null;
    case 'forward':
      return typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536 ? { kind, port } : null;
    case 'look':
      return { kind, container: named };
    case 'end':
      return typeof sessionId === 'string' && SESSION_ID.test(sessionId) ? { kind, sessionId } : null;
    default:
      return null;
  }
}

function isCommand(value: unknown): value is readonly string[] {
  if (!Array.isArray(value) || value.length === 0) return false;
  const isText = value.every((word) => typeof word === 'string' && !word.includes('\0'));
  return isText && value[0] !== '' && value.join('').length <= COMMAND_CHARS_MAX;
}

/** What the API answers. */
export type RemoteAnswer = {
  readonly container: string | null;
  readonly podUid: string;
  readonly session: { readonly sessionId: string; readonly streamUrl: string; readonly tokenValue: string } | null;
};

/** null: the answer is something else. */
export function remoteAnswerIn(value: unknown): RemoteAnswer | null {
  if (typeof value !== 'object' || value === null) return null;
  const { kind, container = null, podUid, session = null } = value as Record<string, unknown>;
  if (kind !== ANSWER_KIND || typeof podUid !== 'string') return null;
  if (typeof container !== 'string' && container !== null) return null;
  if (session === null) return { container, podUid, session };
  const { sessionId, streamUrl, tokenValue } = session as Record<string, unknown>;
  if (typeof sessionId !== 'string' || typeof streamUrl !== 'string' || typeof tokenValue !== 'string') return null;
  return { container, podUid, session: { sessionId, streamUrl, tokenValue } };
}

export const ANSWER_KIND = 'PodSession';
