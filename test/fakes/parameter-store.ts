import {
  GetParameterRequest$,
  GetParameterResult$,
  PutParameterRequest$,
  PutParameterResult$,
} from '@aws-sdk/client-ssm';
import { AwsError } from '../../local/wire/aws-error.ts';
import type { AwsService } from '../../local/wire/aws-json.ts';

type Put = { readonly Name: string; readonly Value: string; readonly Type: string; readonly Overwrite: boolean };
type Get = { readonly Name: string; readonly WithDecryption: boolean };

/** Parameter Store as the functions use it; what it was asked is kept. */
export function parameterStore() {
  const held = new Map<string, string>();
  const puts: Put[] = [];
  const gets: Get[] = [];
  const state = { isDown: false };
  const put = (input: Put) => {
    puts.push(input);
    if (held.has(input.Name) && !input.Overwrite)
      throw new AwsError('ParameterAlreadyExists', 'The parameter already exists.', { status: 400 });
    held.set(input.Name, input.Value);
    return { Version: 1, Tier: 'Standard' };
  };
  const get = (input: Get) => {
    gets.push(input);
    if (state.isDown) throw new AwsError('InternalServerError', 'down', { status: 500 });
    const value = held.get(input.Name);
    if (value === undefined) throw new AwsError('ParameterNotFound', '', { status: 400 });
    // What is not decrypted is of no use.
    const Value = input.WithDecryption ? value : 'AQICAH…';
    return { Parameter: { Name: input.Name, Type: 'SecureString', Value, Version: 1 } };
  };
  const service: AwsService = {
    targetPrefix: 'AmazonSSM',
    jsonVersion: '1.1',
    operations: {
      GetParameter: {
        request: GetParameterRequest$,
        response: GetParameterResult$,
        handle: (input) => get(input as Get),
      },
      PutParameter: {
        request: PutParameterRequest$,
        response: PutParameterResult$,
        handle: (input) => put(input as Put),
      },
    },
  };
  return { service, held, puts, gets, state };
}
