import { type SignedToken, signToken } from '../../shared/adapters/aws/sts/sign-token.ts';
import { NoCredentials } from '../../shared/adapters/aws/sigv4.ts';

export type OwnTokenWish = {
  readonly clusterId: string;
  readonly region: string;
  /** Of the AWS configuration; null: the usual one. */
  readonly profile: string | null;
  readonly nowMs: number;
};

export type OwnToken =
  | (SignedToken & { readonly kind: 'signed' })
  | { readonly kind: 'refused'; readonly reason: string };

const LOG_IN =
  'log in (`aws sso login`, `aws login`), set AWS_PROFILE, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY';

/** A bearer token for a deployment, signed with the credentials that the AWS CLI would use here. */
export async function ownToken({ profile, ...wish }: OwnTokenWish): Promise<OwnToken> {
  try {
    return { kind: 'signed', ...(await signToken({ ...wish, ...(profile === null ? {} : { profile }) })) };
  } catch (error) {
    if (!(error instanceof NoCredentials)) throw error;
    return {
      kind: 'refused',
      reason: `there are no AWS credentials to sign a token with (${error.message}): ${LOG_IN}`,
    };
  }
}
