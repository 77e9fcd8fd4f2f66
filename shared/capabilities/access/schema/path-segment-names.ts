import { type FieldError, invalid, required } from '../../../schema/object/field-error.ts';

/** Keys of rows take 1,024 bytes. */
const NAME_BYTES_MAX = 512;

/**
 * The faults of a name that only has to be a part of a path (apimachinery's `IsValidPathSegmentName`): colons, spaces, and letters
 * of any script may be in it. Muster also refuses control characters, halves of characters, and names above 512 bytes.
 */
export function pathSegmentErrors(name: string): readonly string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return [
    ...['/', '%'].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`),
    ...(/[\p{Cc}\p{Cs}]/u.test(name) ? ['may not contain control characters or halves of characters'] : []),
    ...(new TextEncoder().encode(name).length > NAME_BYTES_MAX ? [`must be no more than ${NAME_BYTES_MAX} bytes`] : []),
  ];
}

/** The faults of the name of a role or a binding, and of the prefix that it was made from. */
export function segmentNameErrors(
  name: string,
  metadata: { readonly generateName?: string | undefined } | undefined,
): readonly FieldError[] {
  const prefix = metadata?.generateName ?? '';
  return [
    ...pathSegmentErrors(prefix).map((why) => invalid('metadata.generateName', prefix, why)),
    ...(name === ''
      ? [required('metadata.name', 'name or generateName is required')]
      : pathSegmentErrors(name).map((why) => invalid('metadata.name', name, why))),
  ];
}
