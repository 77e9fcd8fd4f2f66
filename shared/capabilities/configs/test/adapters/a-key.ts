import type { SecretsKey } from '../../ports/secrets-key.ts';

/** A key in memory, which counts what is asked of it. */
export function aKey(held: string | null = null) {
  const asked = { reads: 0, made: 0 };
  let text = held;
  const key: SecretsKey = {
    place: 'file secrets.key',
    async read() {
      asked.reads++;
      return text;
    },
    async make(made) {
      asked.made++;
      text ??= made;
    },
  };
  return {
    key,
    asked,
    put: (other: string | null): void => {
      text = other;
    },
    held: (): string | null => text,
  };
}
