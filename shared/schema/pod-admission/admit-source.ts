import type { FieldRef, ResourceFieldRef } from '../../domain/manifests/pod-spec.ts';
import { keptFields } from '../object/kept-fields.ts';
import type { EnvShape } from '../pod/pod-shape.ts';

type SourceShape = NonNullable<EnvShape['valueFrom']>;

/** A field of the downward API as it is stored, in a variable or in a volume. */
export const admitField = ({ fieldPath = '' }: NonNullable<SourceShape['fieldRef']>): FieldRef => ({
  apiVersion: 'v1',
  fieldPath,
});

/** The same for an amount. Go also writes a zero quantity. */
export const admitResource = (shape: NonNullable<SourceShape['resourceFieldRef']>): ResourceFieldRef => ({
  divisor: '0',
  ...keptFields('ResourceFieldSelector', shape),
  resource: shape.resource ?? '',
});
