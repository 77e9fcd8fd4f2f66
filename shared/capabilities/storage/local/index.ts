export { openVolumeFolders } from './local-folders.ts';
