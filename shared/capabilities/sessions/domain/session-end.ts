/** How a session has ended, as clients hear it (`metav1.Status`). */
export type EndStatus = {
  readonly metadata: Readonly<Record<string, never>>;
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: 'NonZeroExitCode' | 'InternalError';
  readonly details?: { readonly causes: readonly { readonly reason?: string; readonly message: string }[] };
  readonly code?: number;
};

/** What became of it: the exit code of a program; null, where nobody asks for one; or why there is none. */
export type SessionEnd =
  | { readonly kind: 'ended'; readonly exitCode: number | null }
  | { readonly kind: 'failed'; readonly why: string };

/** In the kubelet's words (pkg/kubelet/cri/streaming/remotecommand). */
function endStatus(end: SessionEnd): EndStatus {
  if (end.kind === 'failed')
    return {
      metadata: {},
      status: 'Failure',
      message: `Internal error occurred: ${end.why}`,
      reason: 'InternalError',
      details: { causes: [{ message: end.why }] },
      code: 500,
    };
  if (end.exitCode === null || end.exitCode === 0) return { metadata: {}, status: 'Success' };
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${end.exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(end.exitCode) }] },
  };
}

/** What is sent on the error channel; '': nothing is. */
export function endText(end: SessionEnd, asStatus: boolean): string {
  const status = endStatus(end);
  return asStatus ? JSON.stringify(status) : (status.message ?? '');
}
