declare const brand: unique symbol;

/** A primitive that must not be confused with another of the same shape. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
