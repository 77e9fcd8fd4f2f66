/** The part of a stored document that nobody sees: books that the server keeps of the object. */
export const LEDGER_FIELD = 'ledger';
