import {
  GetParameterCommand,
  ParameterAlreadyExists,
  ParameterNotFound,
  PutParameterCommand,
  SSMClient,
  SSMServiceException,
} from '@aws-sdk/client-ssm';
import { type Connection, clientConfig, unlogged } from '../../../adapters/aws/connection.ts';
import { SealError } from '../ports/sealer.ts';
import type { SecretsKey } from '../ports/secrets-key.ts';

/** A process asks once. */
const PATIENCE = { maxAttempts: 4, requestTimeoutMs: 3_000, maxSockets: 4 };

export const createSsmClient = (connection: Connection): SSMClient =>
  unlogged(new SSMClient(clientConfig(connection, PATIENCE)));

declare module '../../../runtime/sdk-client.ts' {
  interface CapabilityClients {
    readonly ssm: SSMClient;
  }
}

/**
 * The key as a SecureString of Parameter Store, under the account's own key for it (`aws/ssm`), which costs nothing. Nobody
 * overwrites it.
 */
export const parameterKey = (client: SSMClient, parameter: string): SecretsKey => ({
  place: placeOf(parameter),
  async read() {
    try {
      const { Parameter } = await client.send(new GetParameterCommand({ Name: parameter, WithDecryption: true }));
      return Parameter?.Value ?? null;
    } catch (error) {
      if (error instanceof ParameterNotFound) return null;
      // In AWS's own words there is no key; a parser cites what it reads.
      throw error instanceof SSMServiceException ? error : new SealError(`${placeOf(parameter)}: ${nameOf(error)}`);
    }
  },
  async make(text) {
    const made = new PutParameterCommand({
      Name: parameter,
      Value: text,
      Type: 'SecureString',
      Description: 'Seals the Secrets of Muster in its table. Without it none of them can be read any more.',
      Overwrite: false,
    });
    try {
      await client.send(made);
    } catch (error) {
      // Another process was faster: that is the key.
      if (error instanceof ParameterAlreadyExists) return;
      // The name only: AWS's words may repeat what was sent.
      throw new SealError(`${placeOf(parameter)} could not be made: ${nameOf(error)}`);
    }
  },
});

const placeOf = (parameter: string): string => `parameter ${parameter} of Parameter Store`;

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : 'Error');
