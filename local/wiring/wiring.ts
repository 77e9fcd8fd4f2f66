import type { Shares } from '../stopping/shares.ts';
import type { Placement } from '../../shared/adapters/aws/ecs/run-task-request.ts';
import type { DefinitionSettings } from '../../shared/adapters/aws/ecs/task-definition-request.ts';
import type { Settings } from '../../shared/control/process/deps.ts';
import type { Coalescing } from '../../shared/runtime/coalescing.ts';
import type { RuntimeOptions } from '../../shared/runtime/create-runtime.ts';
import type { CapabilityPorts } from '../../shared/ports/capability-ports.ts';
import type { QueueName } from '../../shared/ports/dead-letters.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { FlushedTelemetry } from '../../shared/telemetry/lambda-telemetry.ts';
import type { Cloudmap } from '../cloudmap/create-cloudmap.ts';
import type { Ecs, EcsOptions } from '../ecs/create-ecs.ts';
import type { OnSurprise } from '../in-process/engine-calls.ts';
import type { Logs } from '../logs/create-logs.ts';

/** How the functions reach the engines: by calls in this process, or as on AWS, by SDK clients over HTTP. */
export type WiringKind = 'inProcess' | 'emulateAws';

/** The embedded services; all of them run in this process. */
export type Engines = { readonly ecs: Ecs; readonly logs: Logs; readonly cloudmap: Cloudmap };

/** The settings that do not depend on the wiring. */
export type WiredPlace = DefinitionSettings & {
  readonly placement: Placement;
  readonly settings: Settings;
  /** What parts on this machine are asked, such as listeners. */
  readonly ports: Partial<CapabilityPorts>;
  readonly coalescing: Coalescing;
  readonly telemetry: FlushedTelemetry;
  /** An invocation's time limit. A message whose function died is received again after it. */
  readonly timeoutMs: number;
  readonly onSurprise: OnSurprise;
};

/** Called in reverse order when the runtime ends. */
export type Closer = (shares: Shares) => Promise<void> | void;

/** Creates the queues before the engines, which send events to them. */
export type Wiring = {
  readonly onEvent: NonNullable<EcsOptions['onEvent']>;
  readonly queueArns: Readonly<Record<QueueName, string>>;
  /** Connects the functions to the engines. */
  connect(engines: Engines): Promise<Connected>;
};

export type Connected = {
  readonly runtime: Runtime;
  /** The functions' environment, if they use addresses; otherwise null. */
  readonly options: RuntimeOptions | null;
};
