/** Thrown when what a request needs is not there, and somebody must see to it. Nothing was written. The message is for its sender. */
export class Unavailable extends Error {
  override readonly name: string = 'Unavailable';
}
