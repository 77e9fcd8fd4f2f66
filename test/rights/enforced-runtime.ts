import type { Handlers } from '../../local/handlers.ts';
import { type LocalOptions, type LocalRuntime, type NotStarted, startLocalRuntime } from '../../local/runtime.ts';
import { type RuntimeOptions, type SdkClient, createRuntime } from '../../shared/runtime/create-runtime.ts';
import { dispatchHandler, reconcileHandler, sweepHandler } from '../../shared/runtime/queue-handlers.ts';
import { submitHandler } from '../../shared/runtime/submit-handler.ts';
import { checkWire, noteSeen } from '../models/wire-check.ts';
import { TEST_WIRING } from '../support/test-wiring.ts';
import { onAskedRights } from './asked-rights.ts';
import { type NeededRight, missingTypes } from './needed-rights.ts';
import { type FunctionName, type Statements, allowing } from './statements.ts';
import { LOCAL_PLACE, templateStatements } from './template-statements.ts';

/** What the functions of one runtime have asked IAM for. */
export type Asked = {
  /** Actions that were allowed, by function. */
  readonly allowed: Readonly<Record<FunctionName, ReadonlySet<string>>>;
  /** What was denied, in AWS's words; calls that needed-rights.ts does not describe well; and what breaks AWS's models. */
  readonly faults: readonly string[];
};

export type EnforcedRuntime = LocalRuntime & {
  readonly asked: Asked;
  /** The functions behind queues and timers, for tests that call one themselves. */
  readonly handlers: Handlers;
};

/**
 * The embedded runtime, whose functions may do what the template allows each of them, and nothing else: any other SDK call is
 * refused as AWS would. Each function has SDK clients of its own, as on Lambda. What the embedded runtime does by itself while
 * it starts, and the part of EventBridge, are no function's. Functions that are called in this process ask IAM for nothing.
 *
 * @param told each denial, once, as it happens
 */
export async function startEnforcedRuntime(
  options: LocalOptions,
  told: (fault: string) => void = () => undefined,
): Promise<EnforcedRuntime | NotStarted> {
  const wiring = options.wiring ?? TEST_WIRING;
  if (wiring === 'inProcess') return startUnasked(options);
  const check = new RightsCheck(await templateStatements(), told);
  const own: { close(): void }[] = [];
  let shown = 0;
  let started = false;
  let handlers: Handlers | null = null;
  const runtime = await startLocalRuntime({
    ...options,
    wiring,
    async handlers(ours, given) {
      if (given === null) throw new Error('functions behind SDK clients have addresses');
      handlers = await (options.handlers?.(ours, given) ?? check.handlers(given, own));
      return handlers;
    },
    onClient(client) {
      options.onClient?.(client);
      check.watch(client);
      // The first is EventBridge's.
      if (shown++ > 0) check.guard(client, (right) => (started ? (DRAINED_BY[drainedQueue(right)] ?? 'api') : null));
    },
  });
  started = true;
  if (runtime.kind === 'refused') return runtime;
  if (handlers === null) throw new Error('the runtime has asked for no handlers');
  return {
    ...runtime,
    asked: check,
    handlers,
    async stop() {
      await runtime.stop();
      for (const each of own) each.close();
      noteSeen();
    },
  };
}

async function startUnasked(options: LocalOptions): Promise<EnforcedRuntime | NotStarted> {
  let handlers: Handlers | null = null;
  const runtime = await startLocalRuntime({
    ...options,
    wiring: 'inProcess',
    async handlers(ours, given) {
      handlers = (await options.handlers?.(ours, given)) ?? ours;
      return handlers;
    },
  });
  if (runtime.kind === 'refused') return runtime;
  if (handlers === null) throw new Error('the runtime has asked for no handlers');
  const none = new Set<string>();
  return {
    ...runtime,
    handlers,
    asked: { allowed: { api: none, reconcile: none, dispatch: none, sweep: none, submit: none }, faults: [] },
  };
}

class RightsCheck implements Asked {
  readonly allowed: Record<FunctionName, Set<string>> = {
    api: new Set(),
    reconcile: new Set(),
    dispatch: new Set(),
    sweep: new Set(),
    submit: new Set(),
  };
  readonly faults: string[] = [];
  readonly #statements: Statements;
  readonly #told: (fault: string) => void;
  readonly #described = new Set<string>();

  constructor(statements: Statements, told: (fault: string) => void) {
    this.#statements = statements;
    this.#told = told;
  }

  /** The functions that are not the API, each over a runtime of its own. */
  handlers(options: RuntimeOptions, own: { close(): void }[]): Handlers {
    const runtimeOf = (name: FunctionName) => {
      const runtime = createRuntime({
        ...options,
        taskRoleArn: LOCAL_PLACE.taskRoleArn,
        onClient: (client) => {
          this.watch(client);
          this.guard(client, () => name);
        },
      });
      own.push(runtime);
      return () => runtime;
    };
    return {
      reconcile: reconcileHandler(runtimeOf('reconcile')),
      dispatch: dispatchHandler(runtimeOf('dispatch')),
      sweep: sweepHandler(runtimeOf('sweep')),
      submit: submitHandler(runtimeOf('submit')),
    };
  }

  /** Holds what goes over the wire against AWS's service models, if they are installed. */
  watch(client: SdkClient): void {
    checkWire(client, 'both', (fault) => this.#fault(fault));
  }

  /** Puts the check before all else that `client` does. `whose`: the function that asks; null: none of ours. */
  guard(client: SdkClient, whose: (right: NeededRight) => FunctionName | null): void {
    onAskedRights(client, async (rights) => {
      for (const right of rights) {
        const name = whose(right);
        if (name !== null) await this.#ask(name, right);
      }
    });
  }

  async #ask(name: FunctionName, right: NeededRight): Promise<void> {
    if (!this.#described.has(right.action)) {
      this.#described.add(right.action);
      for (const type of await missingTypes(right))
        this.#fault(`AWS requires a ${type} of ${right.action}, which was asked on ${right.resources.join(', ')}`);
    }
    if (allowing(this.#statements[name], right) !== null) {
      this.allowed[name].add(right.action);
      return;
    }
    const message = `User: arn:aws:sts::000000000000:assumed-role/${name} is not authorized to perform: ${right.action} on resource: ${right.resources.join(', ')} because no identity-based policy allows the ${right.action} action`;
    this.#fault(message);
    throw Object.assign(new Error(message), {
      name: 'AccessDeniedException',
      $fault: 'client' as const,
      $metadata: { httpStatusCode: 400 },
    });
  }

  #fault(text: string): void {
    if (this.faults.includes(text)) return;
    this.faults.push(text);
    this.#told(text);
  }
}

/** Lambda drains a queue with the rights of the function that it invokes. */
const DRAINED_BY: Readonly<Record<string, FunctionName | undefined>> = {
  'muster-wake': 'reconcile',
  'muster-facts': 'reconcile',
  'muster-dispatch': 'dispatch',
  'muster-submit': 'submit',
};
const DRAINING = /^sqs:(ReceiveMessage|DeleteMessage|ChangeMessageVisibility)$/;
const drainedQueue = ({ action, resources: [queue = ''] }: NeededRight): string =>
  DRAINING.test(action) ? queue.slice(queue.lastIndexOf(':') + 1) : '';

/** Throws if a function of the runtime has asked for anything that it may not do. */
export function assertAllowed({ faults }: Asked): void {
  if (faults.length > 0) throw new Error(`not allowed by the template, or not as AWS has it:\n${faults.join('\n')}`);
}
