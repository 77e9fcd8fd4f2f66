import type { OpenPage } from '../../../../local/local-part.ts';
import { type PageFiles, pageFolder, readPageFiles } from './page-files.ts';
import { servePage } from './serve-page.ts';
import { createSignIns } from './sign-ins.ts';

/** Reads its files when somebody first looks. */
export const openPage: OpenPage = (ask, { asksWho, guard, now }) => {
  let known: PageFiles | null = null;
  const files = (): PageFiles => (known ??= readPageFiles(pageFolder()));
  return servePage(ask, { files, signIns: createSignIns(now), asksWho, guard });
};
