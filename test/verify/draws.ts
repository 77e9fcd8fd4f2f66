import { isVerifying } from './verifying.ts';

/** How many cases a random test draws: `many` in `npm run verify`, which has the time, and a tenth of that elsewhere. */
export const draws = (many: number): number => (isVerifying ? many : Math.ceil(many / 10));
