/** One column of a chart: parts that lie on each other, from below. */
export type Column = {
  readonly title: string;
  readonly parts: readonly { readonly colour: string; readonly count: number }[];
};

export type Rect = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly colour: string;
};

/** Where the parts of columns lie in a chart of a size. What is there is at least a pixel high. */
export function placeColumns(columns: readonly Column[], width: number, height: number): readonly (readonly Rect[])[] {
  const most = Math.max(...columns.map(totalOf), 1);
  const step = width / Math.max(columns.length, 1);
  return columns.map(({ parts }, nth) => {
    let bottom = height;
    return parts
      .filter(({ count }) => count > 0)
      .map(({ colour, count }) => {
        const high = Math.max((count / most) * height, 1);
        bottom -= high;
        return { x: nth * step, y: Math.max(bottom, 0), width: Math.max(step - 1, 0.5), height: high, colour };
      });
  });
}

/** How much the parts of a column are together. */
export const totalOf = ({ parts }: Column): number => parts.reduce((sum, { count }) => sum + count, 0);
