import type { Protocol } from './protocols.ts';

/** What a client wants to do with a container, or with the ports of its task. */
export type Wanted =
  | (Streams & { readonly kind: 'exec'; readonly command: readonly string[] })
  | (Streams & { readonly kind: 'attach' })
  /** `ports`: those that a request names; clients of SPDY name them later. */
  | { readonly kind: 'portForward'; readonly ports: readonly number[] };

/** Which of its streams are carried. */
export type Streams = {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
};

/** A session that is allowed, and over which connection. */
export type SessionPlan = {
  readonly protocol: Protocol;
  readonly taskId: string;
  /** null: any of the task's; only ports are asked for */
  readonly container: string | null;
  /** for messages */
  readonly pod: { readonly name: string; readonly uid: string };
  readonly wanted: Wanted;
  /** Whether its user still may. */
  readonly mayGoOn: () => Promise<boolean>;
};

/** `none`: the container does not run; `busy`: there are too many sessions. */
export type Taken =
  | { readonly kind: 'taken' }
  | { readonly kind: 'none'; readonly why: string }
  | { readonly kind: 'busy'; readonly why: string };

/** Takes the connection of a request, which is not answered then. */
export type TakeOver = (plan: SessionPlan) => Taken;
