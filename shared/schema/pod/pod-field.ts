import type { POD_SHAPES } from './pod-shape.ts';

/** How Muster treats a field of the pod template. */
export type PodField =
  /** Supported, with this effect. The rules in this folder refuse unsupported values one by one. */
  | { readonly kind: 'honoured'; readonly as: string }
  /** Kept and shown, but without effect, for this reason. */
  | { readonly kind: 'harmless'; readonly why: string }
  /** Refused with this sentence, except for values without effect here. Those are kept and shown. */
  | { readonly kind: 'refused'; readonly instead: string; readonly harmless: readonly unknown[] };

export const honoured = (as: string): PodField => ({ kind: 'honoured', as });
export const harmless = (why: string): PodField => ({ kind: 'harmless', why });
export const refused = (instead: string, ...values: readonly unknown[]): PodField => ({
  kind: 'refused',
  instead,
  harmless: values,
});

/** How each field of each object of the template is treated. */
export type Groups = {
  readonly [G in keyof typeof POD_SHAPES]: Readonly<Record<keyof (typeof POD_SHAPES)[G]['shape'], PodField>>;
};
