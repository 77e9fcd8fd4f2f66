import type { SdkClient } from '../../shared/runtime/deps.ts';

/** What SDK clients asked for and consumed: the bill's units, as AWS counts them. */
export type Reading = {
  readonly writeUnits: number;
  readonly readUnits: number;
  /** Conditions that did not hold cost as much as the item is large; that is not told, so each is one of the writeUnits. */
  readonly lostWrites: number;
  /** Requests by service and command, `SQS.ReceiveMessage`. */
  readonly requests: ReadonlyMap<string, number>;
};

const EVENT_SENDS = 'SQS.SendMessage by EventBridge';
const READS = new Set(['GetItem', 'Query', 'BatchGetItem', 'Scan', 'TransactGetItems']);

type Consumed = { readonly CapacityUnits?: number };
type Step = (args: { input: Record<string, unknown> }) => Promise<{ output: Record<string, unknown> }>;
type Context = { readonly clientName?: string; readonly commandName?: string };
/** The one method of an SDK client's middleware stack that is used here; its own type differs by client. */
type Stack = { add(middleware: (next: Step, context: Context) => Step, options: { step: 'initialize'; name: string }): void };

/** Looks over the shoulder of every client that it is shown. */
export class Meter {
  #writeUnits = 0;
  #readUnits = 0;
  #lostWrites = 0;
  readonly #requests = new Map<string, number>();

  readonly watch = (client: SdkClient): void => {
    const stack: unknown = client.middlewareStack;
    (stack as Stack).add((next, context) => (args) => this.#pass(next, context, args), { step: 'initialize', name: 'meter' });
  };

  async #pass(next: Step, { clientName = '', commandName = '' }: Context, args: Parameters<Step>[0]) {
    const service = clientName.replace(/Client$/, '');
    const command = commandName.replace(/Command$/, '');
    const key = `${service}.${command}`;
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1);
    if (command === 'SendMessageBatch') {
      const { Entries = [] } = args.input as { readonly Entries?: readonly { readonly MessageBody?: string }[] };
      const events = Entries.filter(({ MessageBody = '' }) => MessageBody.includes('"detail-type"')).length;
      // EventBridge sends every event by a request of its own; the embedded one shares them.
      if (events > 0) this.#requests.set(EVENT_SENDS, (this.#requests.get(EVENT_SENDS) ?? 0) + events - 1);
    }
    if (service !== 'DynamoDB') return next(args);
    try {
      const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
      const consumed = result.output['ConsumedCapacity'] as Consumed | readonly Consumed[] | undefined;
      const parts = consumed === undefined ? [] : Array.isArray(consumed) ? consumed : [consumed];
      const units = (parts as readonly Consumed[]).reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
      if (READS.has(command)) this.#readUnits += units;
      else this.#writeUnits += units;
      return result;
    } catch (error) {
      this.#lostWrites++;
      this.#writeUnits++;
      throw error;
    }
  }

  read(): Reading {
    return { writeUnits: this.#writeUnits, readUnits: this.#readUnits, lostWrites: this.#lostWrites, requests: new Map(this.#requests) };
  }
}

/** What was consumed between two readings. */
export function difference(before: Reading, after: Reading): Reading {
  const requests = new Map<string, number>();
  for (const [key, count] of after.requests) {
    const more = count - (before.requests.get(key) ?? 0);
    if (more > 0) requests.set(key, more);
  }
  return {
    writeUnits: after.writeUnits - before.writeUnits,
    readUnits: after.readUnits - before.readUnits,
    lostWrites: after.lostWrites - before.lostWrites,
    requests,
  };
}
