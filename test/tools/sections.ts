/**
 * The sections of a page that have a block to run, each with what stands before the first section. A section is named after its tool:
 * `## Helm 4` is `helm-4`.
 */
export function sectionsOf(page: string): readonly { readonly tool: string; readonly text: string }[] {
  const [start = '', ...sections] = page.split(/^## /m);
  return sections.flatMap((section) => {
    const [title = ''] = section.split('\n', 1);
    const tool = title.trim().toLowerCase().replaceAll(/\s+/g, '-');
    return section.includes('\n```sh tool\n') ? [{ tool, text: `${start}## ${section}` }] : [];
  });
}
