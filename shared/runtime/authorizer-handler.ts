import type { APIGatewayAuthorizerResult, Context } from 'aws-lambda';
import * as z from 'zod';
import { bearerOf } from '../domain/token/bearer.ts';
import type { TokenVerifier } from '../ports/callers/token-verifier.ts';
import type { FlushedTelemetry } from '../telemetry/lambda-telemetry.ts';
import { authorizerContext } from './caller-of-gateway.ts';

export type Authorizer = {
  readonly verify: TokenVerifier;
  readonly telemetry: Pick<FlushedTelemetry, 'begin' | 'warn'>;
};

/** What a REQUEST authorizer of a REST API gets (API Gateway Developer Guide, "Input to an API Gateway Lambda authorizer"). */
const Event = z.object({
  methodArn: z.string(),
  multiValueHeaders: z.record(z.string(), z.array(z.string())).nullish(),
});

/** All of a stage: its answer is kept for all of its methods, and what a user may do is decided later. */
const STAGE = /^(arn:[\w-]+:execute-api:[\w-]+:\d{12}:[\w-]+\/[^/]+)\//;

/** API Gateway makes a 401 of this text alone, and a 500 of every other. */
const UNAUTHORIZED = 'Unauthorized';

/**
 * The handler of the API's authorizer: who sent this bearer token? Says nothing of what the user may do.
 *
 * @param authorizer created at the first request
 * @returns a handler that throws `Unauthorized` for a token that is refused, and something else if nobody can tell now
 */
export function authorizerHandler(authorizer: () => Authorizer) {
  let created: Authorizer | null = null;
  return async (
    event: unknown,
    context: Partial<Pick<Context, 'functionName' | 'awsRequestId'>> = {},
  ): Promise<APIGatewayAuthorizerResult> => {
    created ??= authorizer();
    const { verify, telemetry } = created;
    const { functionName, awsRequestId } = context;
    telemetry.begin({
      ...(functionName === undefined ? {} : { function_name: functionName }),
      ...(awsRequestId === undefined ? {} : { function_request_id: awsRequestId }),
    });
    const { methodArn, multiValueHeaders } = Event.parse(event);
    const verdict = await verify(tokenIn(multiValueHeaders ?? {}));
    switch (verdict.kind) {
      case 'refused':
        telemetry.warn('token refused', { fault: verdict.fault });
        throw new Error(UNAUTHORIZED);
      case 'later':
        telemetry.warn('token not checked', { why: verdict.why });
        throw new Error('the token cannot be checked now');
      case 'user':
        return {
          principalId: verdict.user.username,
          policyDocument: {
            Version: '2012-10-17',
            Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource: `${stageOf(methodArn)}/*` }],
          },
          context: authorizerContext(verdict.user),
        };
    }
  };
}

/** Empty for no token, and for several headers: the gateway keeps the answer for one of them, and we would not know which. */
function tokenIn(headers: Readonly<Record<string, readonly string[]>>): string {
  const values = Object.entries(headers).flatMap(([name, all]) => (name.toLowerCase() === 'authorization' ? all : []));
  return values.length === 1 ? (bearerOf(values[0]) ?? '') : '';
}

function stageOf(methodArn: string): string {
  const [, stage] = STAGE.exec(methodArn) ?? [];
  if (stage === undefined) throw new Error('the ARN of the method names no stage');
  return stage;
}
