/** The token in an Authorization header (RFC 6750, section 2.1); null: the header has none. */
export function bearerOf(header: string | null | undefined): string | null {
  const [, token = null] = /^ *bearer +([^\s]+) *$/i.exec(header ?? '') ?? [];
  return token;
}
