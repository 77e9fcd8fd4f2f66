import type { Held } from '../../ports/held.ts';
import type { NotAllowed } from '../../ports/job-commands.ts';
import type { NewStored, ObjectGuard } from '../../ports/object-guard.ts';

/** Takes what all guards want for a new object, or gives back what was taken before one refuses. */
export async function takeAll(guards: readonly ObjectGuard[], object: NewStored): Promise<Required<Held> | NotAllowed> {
  const held: Held[] = [];
  const undo = async (): Promise<void> => {
    for (const each of held.toReversed()) await each.undo();
  };
  for (const guard of guards) {
    const answer = await guard.take(object);
    if (answer?.kind === 'held') held.push(answer);
    if (answer?.kind !== 'forbidden') continue;
    await undo();
    return answer;
  }
  return { kind: 'held', undo, keep: () => held.forEach(({ keep }) => keep?.()) };
}

/** Why a new object would be refused now by the first guard that speaks against it; null: by none. */
export async function firstObjection(guards: readonly ObjectGuard[], object: NewStored): Promise<NotAllowed | null> {
  for (const guard of guards) {
    const refusal = await guard.check(object);
    if (refusal !== null) return refusal;
  }
  return null;
}
