/** A refusal in AWS's shape: `__type`, `message`, and the error's additional members. */
export class AwsError extends Error {
  override readonly name = 'AwsError';
  readonly type: string;
  readonly status: number;
  readonly members: Readonly<Record<string, unknown>>;

  /** `type` is the error's name as clients know it, e.g. `ClientException`; HTTP 400 unless `status` says otherwise. */
  constructor(
    type: string,
    message: string,
    { status = 400, ...members }: { readonly status?: number; readonly [member: string]: unknown } = {},
  ) {
    super(message);
    this.type = type;
    this.status = status;
    this.members = members;
  }
}
