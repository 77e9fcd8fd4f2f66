declare module '../../../ports/capability-ports.ts' {
  interface CapabilityPorts {
    readonly remoteSessions: RemoteSessions;
  }
}

/** A session that a client holds by itself, over a connection to AWS. Its token is a secret for a minute: nobody logs it. */
export type OpenedSession = {
  readonly sessionId: string;
  readonly streamUrl: string;
  readonly tokenValue: string;
};

export type OpenOutcome =
  | { readonly kind: 'opened'; readonly session: OpenedSession }
  /** There can be none now; `why` is a sentence for its user. */
  | { readonly kind: 'refused'; readonly why: string }
  /** AWS is busy; the same may be asked again. */
  | { readonly kind: 'busy'; readonly why: string };

/** A container of a task that runs. */
export type RemoteTarget = { readonly taskId: string; readonly container: string };

/** Sessions with containers of tasks that run somewhere else. */
export type RemoteSessions = {
  /** Starts a program. ECS gives it a terminal, whatever it is. */
  run(target: RemoteTarget, words: readonly string[]): Promise<OpenOutcome>;
  /** To a port of a task; `container`: null for any of them that runs. */
  forward(target: { readonly taskId: string; readonly container: string | null }, port: number): Promise<OpenOutcome>;
  /** Ends a session and its program. Of no effect where it is over. */
  end(sessionId: string): Promise<void>;
};
