import type * as z from 'zod';
import { AwsError } from './aws-error.ts';

/** The validated request of a call; throws `errorType` with the member's path and its fault. */
export function checked<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  errorType = 'InvalidParameterException',
): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new AwsError(errorType, issue === undefined ? 'invalid request' : `${issue.path.join('.')}: ${issue.message}`);
}
