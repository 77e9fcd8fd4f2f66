import { authorizerHandler } from '../../shared/runtime/authorizer-handler.ts';
import { processAuthorizer } from '../../shared/runtime/options-from-env.ts';

export const handler = authorizerHandler(processAuthorizer);
