/** Why a question cannot be asked of this stack, or with these rights. */
export class NotAsked extends Error {
  override readonly name = 'NotAsked';
}
