/** Environment variable with a volume's path: the mount path on AWS, a folder of the task when embedded. */
export const volumeVariable = (volume: string): string => `MUSTER_VOLUME_${volume.toUpperCase().replaceAll('-', '_')}`;
