import { ROLE_ANNOTATION } from '../domain/task/task-roles.ts';
import type { ObjectStore } from '../ports/object-store.ts';

/** The role that a stored ServiceAccount names; null: it names none, or it is not stored. */
export async function namedRoleOf(
  account: { readonly namespace: string; readonly name: string },
  { objects }: { readonly objects: Pick<ObjectStore, 'read'> },
): Promise<string | null> {
  const stored = await objects.read('ServiceAccount', account);
  const { annotations } = (stored?.document.metadata ?? {}) as {
    readonly annotations?: Readonly<Record<string, string>>;
  };
  return annotations?.[ROLE_ANNOTATION] ?? null;
}
