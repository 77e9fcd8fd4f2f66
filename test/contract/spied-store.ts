import { type AttributeValue, type DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { createDynamoStore } from '../../shared/runtime/dynamo-store.ts';
import { T0 } from './store-under-test.ts';

export type Item = Record<string, AttributeValue>;

/** A row as it is stored. */
export const aRow = (pk: string, sk: string, attributes: Item, body?: unknown): Item => ({
  pk: { S: pk },
  sk: { S: sk },
  v: { N: '1' },
  ...attributes,
  ...(body === undefined ? {} : { body: { B: Buffer.from(`\0${JSON.stringify(body)}`) } }),
});

export type Store = ReturnType<typeof createDynamoStore>;
type Spied = {
  /** What is there for who reads single rows. */
  readonly stored?: readonly Item[];
  /** What refuses the first transaction: for each of its writes the existing row, or null. */
  readonly refusals?: readonly (Item | null)[];
};

/** Every request that `call` sends, in order: the name of the command, and what it says. None is carried out. */
export async function requestsOf(
  call: (store: Store) => Promise<unknown>,
  { stored = [], refusals = [] }: Spied = {},
): Promise<readonly (readonly [string, Record<string, unknown>])[]> {
  const sent: [string, Record<string, unknown>][] = [];
  let tokens = 0;
  const client = {
    async send({ constructor, input }: { constructor: { name: string }; input: Record<string, unknown> }) {
      const command = constructor.name.replace(/Command$/, '');
      sent.push([command, input]);
      if (command === 'TransactWriteItems' && refusals.length > 0 && tokens++ === 0) throw canceled(refusals);
      const isWanted = ({ pk, sk }: Item): boolean => JSON.stringify(input['Key']) === JSON.stringify({ pk, sk });
      return command === 'GetItem' ? { Item: stored.find(isWanted) } : {};
    },
  } as unknown as DynamoDBClient;
  let named = 0;
  const options = { client, tableName: 'muster', now: () => T0, newToken: () => `token-${++named}` };
  await call(createDynamoStore({ ...options, pause: async () => undefined }));
  return sent;
}

const canceled = (refusals: readonly (Item | null)[]) =>
  new TransactionCanceledException({
    message: 'Transaction cancelled',
    $metadata: {},
    CancellationReasons: refusals.map((row) =>
      row === null ? { Code: 'None' } : { Code: 'ConditionalCheckFailed', Item: row },
    ),
  });

/** What the last request of `call` says. */
export const lastOf = async (call: (store: Store) => Promise<unknown>, spied?: Spied) =>
  (await requestsOf(call, spied)).at(-1)?.[1] ?? {};
/** The writes of the transaction that `call` sends. */
export const writesOf = async (call: (store: Store) => Promise<unknown>) =>
  (await lastOf(call))['TransactItems'] as readonly unknown[];

/** Attribute values as `S:text` and `N:number`, without the bytes of bodies. */
export const shown = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, part: unknown) => (isAttribute(part) ? brief(part) : part)));
const isAttribute = (part: unknown): part is AttributeValue =>
  typeof part === 'object' && part !== null && Object.keys(part).length === 1 && /^[SNB]$/.test(Object.keys(part)[0]!);
const brief = (value: AttributeValue): string =>
  value.B === undefined ? `${Object.keys(value)[0]}:${value.S ?? value.N}` : 'B:(packed)';
