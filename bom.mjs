/**
 * What is bundled, as CycloneDX 1.5 has it: scanners see what npm installs, but not what a bundle holds.
 *
 * @param whole `name`, `version`, and `license` of the package that has the bundle
 * @param parts the same of each package that is bundled
 */
export const bomOf = (whole, parts) => ({
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: { lifecycles: [{ phase: 'build' }], component: componentOf(whole, 'application') },
  components: parts.map((part) => componentOf(part, 'library')),
});

function componentOf({ name, version, license }, type) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`; // the package-url specification, type npm
  return { type, 'bom-ref': purl, name, version, licenses: [{ expression: license }], purl };
}
