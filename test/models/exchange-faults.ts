import { modelOf } from './service-model.ts';
import { shapeFaults } from './shape-faults.ts';

/** One call of an AWS JSON service, as it went over the wire. */
export type Exchange = {
  /** `X-Amz-Target` */
  readonly target: string;
  readonly request: string;
  readonly status: number;
  readonly answer: string;
};

/** Errors that any operation may answer with, and that models do not repeat (AWS, "Common error types"). */
const COMMON_ERRORS: ReadonlySet<string> = new Set([
  'AccessDeniedException',
  'InternalFailure',
  'ProvisionedThroughputExceededException',
  'SerializationException',
  'ServiceUnavailable',
  'ThrottlingException',
  'UnknownOperationException',
  'UnrecognizedClientException',
  'ValidationException',
]);

/**
 * Where AWS itself answers otherwise than its model says: what was not processed is an empty map if everything was (DynamoDB
 * API reference, BatchWriteItem and BatchGetItem, "Response Elements").
 */
const MODELS_WRONG = /^dynamodb:Batch(WriteItem answer: UnprocessedItems|GetItem answer: UnprocessedKeys): 0 entries/;

/** `ecs:RunTask` */
export function operationOf(target: string): string {
  const [prefix = '', operation = ''] = target.split('.');
  return `${modelOf(prefix).name}:${operation}`;
}

/** Where a request breaks AWS's model of its operation. Pure but for the models, which are read once. */
export function requestFaults({ target, request }: Pick<Exchange, 'target' | 'request'>): readonly string[] {
  const [prefix = '', name = ''] = target.split('.');
  const model = modelOf(prefix);
  const operation = model.operations[name];
  if (operation === undefined) return [`${operationOf(target)}: is no operation`];
  return of(`${operationOf(target)} request`, faultsOf(model, operation.input?.shape, request));
}

/** The same of an answer: an output, or an error that the operation may have. */
export function answerFaults({ target, status, answer }: Omit<Exchange, 'request'>): readonly string[] {
  const [prefix = '', name = ''] = target.split('.');
  const model = modelOf(prefix);
  const operation = model.operations[name];
  if (operation === undefined) return [];
  if (status < 300) return of(`${operationOf(target)} answer`, faultsOf(model, operation.output?.shape, answer));
  const { __type: type = '', ...body } = JSON.parse(answer) as { readonly __type?: string };
  const error = type.slice(type.lastIndexOf('#') + 1);
  if (COMMON_ERRORS.has(error)) return [];
  if (!(operation.errors ?? []).some(({ shape }) => shape === error))
    return [`${operationOf(target)} answer: ${error || 'no type'} is none of its errors`];
  const { message, Message, ...members } = body as { readonly message?: unknown; readonly Message?: unknown };
  const text = message ?? Message;
  return of(`${operationOf(target)} ${error}`, [
    ...(text === undefined || typeof text === 'string' ? [] : ['message: is no string']),
    ...shapeFaults(withoutMessage(model, error), error, members),
  ]);
}

type Model = ReturnType<typeof modelOf>;

const faultsOf = (model: Model, shape: string | undefined, text: string): readonly string[] => {
  const value: unknown = text === '' ? {} : JSON.parse(text);
  if (shape !== undefined) return shapeFaults(model, shape, value);
  return text === '' || text === '{}' ? [] : ['is not empty'];
};

/** Services write `message` with either a small or a capital letter; both are read by every client. */
function withoutMessage({ shapes }: Model, error: string): Pick<Model, 'shapes'> {
  const shape = shapes[error];
  if (shape === undefined) return { shapes };
  const { message: _, Message: __, ...members } = shape.members ?? {};
  const required = (shape.required ?? []).filter((name) => name.toLowerCase() !== 'message');
  return { shapes: { ...shapes, [error]: { ...shape, members, required } } };
}

const of = (what: string, faults: readonly string[]): readonly string[] =>
  faults.map((fault) => `${what}: ${fault}`).filter((fault) => !MODELS_WRONG.test(fault));
