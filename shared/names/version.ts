/** The version in package.json, which a Lambda's bundle does not carry. */
export const VERSION = '0.1.0';
