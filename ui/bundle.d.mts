import type { Metafile } from 'esbuild';

/** Bundles the page into a folder: index.html, and assets whose names have the hash of what is in them. */
export function bundlePage(folder: string): Promise<Metafile>;
