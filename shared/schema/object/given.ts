type Given<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** The object without its undefined members. */
export const given = <T extends object>(fields: T): Given<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
