/** Bytes that are not what they ought to be; the message is for whoever sent them. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}
