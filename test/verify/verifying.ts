/** `npm run verify` runs these tests: random tests draw all their cases, and a client or an engine that is missing is a failure. */
export const isVerifying = process.env['MUSTER_VERIFY'] === 'true';
