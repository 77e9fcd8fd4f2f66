import { type AuthorizationMode, type User, ANONYMOUS } from '../domain/callers/user.ts';
import type { Context } from 'hono';
import * as z from 'zod';
import { principalOf } from '../domain/token/principal.ts';
import { userOf } from '../domain/token/aws-user.ts';
import type { Authenticated } from '../kube/http/authentication.ts';

/** How API Gateway learns who calls: `token`, from our authorizer; `iam`, from the request's signature. */
export type GatewayAuth = { readonly auth: 'token' } | { readonly auth: 'iam'; readonly admins: readonly string[] };
/** Who calls, and whether roles decide what they may do. */
export type GatewayAccess = GatewayAuth & { readonly authorization: AuthorizationMode };

/** What the authorizer says of a user, as strings, which alone the gateway passes on unchanged. */
export type AuthorizerContext = { readonly username: string; readonly groups: string; readonly uid: string };

export const authorizerContext = ({ username, uid = '', groups }: User): AuthorizerContext => ({
  username,
  groups: JSON.stringify(groups),
  uid,
});

const groups = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue('must be JSON');
      return z.NEVER;
    }
  })
  .pipe(z.array(z.string()));
const TokenEvent = z.object({
  requestContext: z.object({ authorizer: z.object({ username: z.string().min(1), groups, uid: z.string() }) }),
});
const IamEvent = z.object({
  requestContext: z.object({ identity: z.object({ userArn: z.string(), user: z.string().nullish() }) }),
});

/**
 * Who sent a request, by the event of a Lambda proxy integration (API Gateway Developer Guide, "Input format of a Lambda function
 * for proxy integration"). No client can set what is read here.
 *
 * @returns null if the gateway does not say. With `iam` it is then somebody whom IAM lets in, but of whom we know no name.
 */
export function callerOfGateway(event: unknown, access: GatewayAuth): User | null {
  if (access.auth === 'token') {
    const read = TokenEvent.safeParse(event);
    if (!read.success) return null;
    const { uid, ...user } = read.data.requestContext.authorizer;
    return uid === '' ? user : { ...user, uid };
  }
  const { userArn = '', user } = IamEvent.safeParse(event).data?.requestContext.identity ?? {};
  const account = principalOf(userArn)?.account;
  if (account === undefined) return null;
  const { admins } = access; // IAM and the API's policy have let the account in
  const admitted = userOf({ arn: userArn, account, userId: user ?? '' }, { accounts: [account], admins });
  return admitted.kind === 'user' ? admitted.user : null;
}

/** Takes the gateway's word. What our authorizer has not seen is refused. */
export function gatewayAuthentication(access: GatewayAuth): (c: Context) => Promise<Authenticated> {
  return async ({ env }: Context<{ Bindings: { readonly event?: unknown } }>) => {
    const user = callerOfGateway(env?.event, access);
    if (user !== null) return { kind: 'user', user };
    return access.auth === 'token' ? { kind: 'refused' } : { kind: 'user', user: ANONYMOUS };
  };
}
