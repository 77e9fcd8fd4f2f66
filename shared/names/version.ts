/** The version in package.json, which is not in a Lambda's bundle. */
export const VERSION = '0.1.0';
