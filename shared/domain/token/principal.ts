/** Somebody whom IAM knows. */
export type Principal = {
  /** The same for each session: that of the role, without its path, if a role was assumed. */
  readonly arn: string;
  readonly account: string;
};

const ARN = /^arn:(aws(?:-[a-z]+)*):(iam|sts)::(\d{12}):([\w+=,.@/-]{1,512})$/;

/**
 * Reads the ARN of a user, a role, a session, or an account's root, and leaves out what differs between sessions. A session's
 * ARN lacks its role's path, and its name is chosen by its caller; role names are unique in an account whatever
 * their path. The kinds of ARNs are those of aws-iam-authenticator (`pkg/arn`), but for federated users: who may call
 * `sts:GetFederationToken` chooses the name, so he would be any of them.
 *
 * @returns null if the text is no such ARN
 */
export function principalOf(arn: string): Principal | null {
  const [, partition = '', service = '', account = '', resource = ''] = ARN.exec(arn) ?? [];
  const parts = resource.split('/');
  if (parts.includes('')) return null;
  const role = (name: string): Principal => ({ arn: `arn:${partition}:iam::${account}:role/${name}`, account });
  const [kind] = parts;
  const name = parts.at(-1) ?? '';
  switch (`${service} ${kind}`) {
    case 'sts assumed-role':
      return parts.length < 3 ? null : role(parts.at(-2) ?? '');
    case 'iam role':
      return parts.length < 2 ? null : role(name);
    case 'iam user':
      return parts.length < 2 ? null : { arn, account };
    case 'iam root':
      return parts.length === 1 ? { arn, account } : null;
    default:
      return null;
  }
}
