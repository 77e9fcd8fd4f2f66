/** Differs for each version of each object that ever had the name. */
export const versionOf = ({ uid, version }: { readonly uid: string; readonly version: number }): string =>
  `${uid}-${version}`;
