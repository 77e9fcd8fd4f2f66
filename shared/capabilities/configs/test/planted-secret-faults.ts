import { type PlantedFault, one } from '../../../../test/planted/planted-fault.ts';

const SEALED = 'shared/capabilities/configs/store/sealed-objects.ts';
const COMMITS = 'shared/store/programs/object-commits.ts';

/** Mistakes with what is sealed. */
export const SECRET_FAULTS: readonly PlantedFault[] = [
  {
    name: 'a Secret is stored as it is written',
    edits: [
      {
        file: SEALED,
        find: "const stored = { metadata: { uid }, [SEALED_FIELD]: Buffer.from(sealed).toString('base64') };",
        replace:
          "const stored = { ...document, metadata: { ...document.metadata, uid }, [SEALED_FIELD]: Buffer.from(sealed).toString('base64') };",
      },
      {
        file: COMMITS,
        find: 'document === null || !isConfidential(kind) || isSealed(document)',
        replace: 'document === null || !isConfidential(kind) || isSealed(document) || true',
      },
    ],
    breaks: ['G28'],
  },
  one(
    'the feed of Secrets does not say which labels they had',
    SEALED,
    'const contents: Contents = { document, ...(labelsBefore === undefined ? {} : { labelsBefore }) };',
    'const contents: Contents = { document };',
    ['G28'],
  ),
];
