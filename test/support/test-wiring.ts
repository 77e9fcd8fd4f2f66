import * as z from 'zod';
import type { LocalRuntime } from '../../local/runtime.ts';
import { type RuntimeOptions, createRuntime } from '../../shared/runtime/create-runtime.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';

/** How a test's embedded runtime is wired, unless the test says so itself: as people have it, or as this variable says. */
export const TEST_WIRING = z
  .enum(['inProcess', 'emulateAws'])
  .default('inProcess')
  .parse(process.env['MUSTER_TEST_WIRING']);

/** What the functions of a runtime find in their environment. Throws where they call nothing by address. */
export function environmentOf({ options }: Pick<LocalRuntime, 'options'>): RuntimeOptions {
  if (options === null) throw new Error('only `wiring: emulateAws` has addresses');
  return options;
}

/** The ports for a test's own calls, which no function's rights bind. */
export function operatorsRuntime({ runtime, options }: Pick<LocalRuntime, 'runtime' | 'options'>): Runtime {
  if (options === null) return { ...runtime, close: () => undefined };
  const { onClient: _, ...own } = options;
  return createRuntime(own);
}
