/**
 * Checks an address.
 *
 * @returns null if it is right, else how it must be, without what it holds
 */
export function httpUrlFault(text: string): string | null {
  if (!URL.canParse(text) || !/^https?:/.test(text)) return 'must be an address such as http://127.0.0.1:8000';
  const { username, password } = new URL(text);
  return username === '' && password === '' ? null : 'must hold no user and no password before the host';
}
