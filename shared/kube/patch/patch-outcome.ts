/** The result of a patch. */
export type Patched =
  | { readonly kind: 'patched'; readonly document: unknown }
  /** 400: malformed for any object. */
  | { readonly kind: 'bad'; readonly message: string }
  /** 413 */
  | { readonly kind: 'tooLarge'; readonly message: string }
  /** 422: it does not fit this object. */
  | {
      readonly kind: 'inapplicable';
      readonly message: string;
      readonly causes?: readonly { readonly reason: string; readonly message: string; readonly field: string }[];
    };
