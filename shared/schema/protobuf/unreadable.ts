/** Malformed bytes; the message is for the client that sent them. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}
