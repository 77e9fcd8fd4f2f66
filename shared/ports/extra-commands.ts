/** What users do with what capabilities have, as the API sees it; each declares its own here (`declare module`). */
export interface CapabilityCommands {}
