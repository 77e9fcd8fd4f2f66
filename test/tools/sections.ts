/**
 * The sections of a page, each with what stands before the first of them. A section is named after its tool: `## Helm 4` is `helm-4`.
 */
export function sectionsOf(page: string): readonly { readonly tool: string; readonly text: string }[] {
  const [start = '', ...sections] = page.split(/^## /m);
  return sections.map((section) => {
    const [title = ''] = section.split('\n', 1);
    return { tool: title.trim().toLowerCase().replaceAll(/\s+/g, '-'), text: `${start}## ${section}` };
  });
}
