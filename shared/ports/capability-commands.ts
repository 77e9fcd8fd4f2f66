/** What users do with what capabilities have, as the API sees it; each declares its own here (`declare module`). */
// oxlint-disable-next-line typescript/no-empty-object-type, typescript/no-empty-interface
export interface CapabilityCommands {}
