import type { Handlers } from '../../local/handlers.ts';
import { ENV } from '../../shared/names/env.ts';
import type { RuntimeOptions } from '../../shared/runtime/create-runtime.ts';
import type { BundledHandlers } from '../support/bundled-handlers.ts';
import { environmentOf, handlerIn } from '../e2e/bundles/from-bundles.ts';

export type Release = 'before' | 'this';
export type FunctionName = keyof BundledHandlers;

/** Functions of two releases on one installation, each of which runs the one that is deployed. */
export type MixedFunctions = {
  readonly handlers: (options: RuntimeOptions) => Promise<Handlers>;
  /** What answers requests now. */
  readonly api: () => unknown;
  /** Replaces one function, as CloudFormation does: one after the other. Invocations that have begun go on. */
  readonly deploy: (name: FunctionName, release: Release) => void;
  /** How often the code of a release was invoked. */
  readonly invocations: Readonly<Record<Release, ReadonlyMap<FunctionName, number>>>;
};

/** All functions begin with the release before. */
export function mixedFunctions(bundles: Readonly<Record<Release, BundledHandlers>>): MixedFunctions {
  const deployed = new Map<FunctionName, Release>();
  const releaseOf = (name: FunctionName): Release => deployed.get(name) ?? 'before';
  const invocations = { before: new Map<FunctionName, number>(), this: new Map<FunctionName, number>() };
  const apis = new Map<Release, unknown>();
  const load = async <T>(name: keyof Handlers): Promise<T> => {
    const code = { before: await handlerIn(bundles.before[name]), this: await handlerIn(bundles.this[name]) };
    return ((...args: unknown[]): unknown => {
      const release = releaseOf(name);
      invocations[release].set(name, (invocations[release].get(name) ?? 0) + 1);
      return (code[release] as (...given: unknown[]) => unknown)(...args);
    }) as T;
  };
  return {
    async handlers(options) {
      // As an operator deploys who may go back; the release before does not know the variable.
      Object.assign(process.env, environmentOf(options), { [ENV.formats]: 'previous' });
      apis.set('before', await handlerIn(bundles.before.api));
      apis.set('this', await handlerIn(bundles.this.api));
      return {
        reconcile: await load<Handlers['reconcile']>('reconcile'),
        dispatch: await load<Handlers['dispatch']>('dispatch'),
        submit: await load<Handlers['submit']>('submit'),
        sweep: await load<Handlers['sweep']>('sweep'),
      };
    },
    api: () => apis.get(releaseOf('api')),
    deploy: (name, release) => void deployed.set(name, release),
    invocations,
  };
}
