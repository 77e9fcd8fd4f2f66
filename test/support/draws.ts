/** How many cases a random test draws: `many` in CI, which has the time, and a tenth of that at hand. */
export const draws = (many: number): number => (process.env['CI'] === undefined ? Math.ceil(many / 10) : many);
