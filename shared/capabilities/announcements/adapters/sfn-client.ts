import { SFNClient } from '@aws-sdk/client-sfn';
import { type Connection, clientConfig } from '../../../adapters/aws/connection.ts';

declare module '../../../runtime/sdk-client.ts' {
  interface CapabilityClients {
    readonly sfn: SFNClient;
  }
}

/** As for an event bus. */
const PATIENCE = { maxAttempts: 2, requestTimeoutMs: 2_000, maxSockets: 16 };

export const createSfnClient = (connection: Connection): SFNClient => new SFNClient(clientConfig(connection, PATIENCE));

/** Step Functions says one of these if the task was answered already, or waits no more: there is nobody left to tell. */
const ANSWERED: readonly string[] = ['TaskTimedOut', 'TaskDoesNotExist', 'InvalidToken'];

/** Why an answer was not taken. The name only: an error of validation repeats the token. */
export function refusalOf(error: unknown): { readonly name: string; readonly isNobodyLeft: boolean } {
  const name = error instanceof Error ? error.name : 'Error';
  return { name, isNobodyLeft: ANSWERED.includes(name) };
}
