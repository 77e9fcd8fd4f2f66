/** What makes each field of an object, of the same things. */
export type Makers<T, From extends readonly unknown[]> = { readonly [K in keyof T]: (...from: From) => T[K] };

/** The object whose fields are made by these. */
export const makeEach = <T, From extends readonly unknown[]>(makers: Makers<T, From>, ...from: From): T =>
  Object.fromEntries(
    Object.entries<(...from: From) => unknown>(makers).map(([name, make]) => [name, make(...from)]),
  ) as T;
