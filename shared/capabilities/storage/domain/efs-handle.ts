/** A file system of AWS, as a volume names it. */
export type FileSystem = {
  readonly service: 'efs' | 's3files';
  readonly fileSystemId: string;
  /** null: nothing is said. */
  readonly path: string | null;
  readonly accessPointId: string | null;
};

const HANDLE = /^(?:(s3files):)?(fs-[0-9a-f]{8,40})(?::([^:]*))?(?::([^:]*))?$/;
const ACCESS_POINT = /^fsap-[0-9a-f]{8,40}$/;

/** `fs-0123:/sub/path`, `fs-0123::fsap-0123`, the same after `s3files:` (EFS CSI driver); null: it is no such handle. */
export function parseHandle(handle: string): FileSystem | null {
  const [whole, service, fileSystemId = '', path = '', accessPoint = ''] = HANDLE.exec(handle) ?? [];
  if (whole === undefined) return null;
  if (path !== '' && !isPlainPath(path)) return null;
  if (accessPoint !== '' && !isAccessPoint(accessPoint)) return null;
  return {
    service: service === undefined ? 'efs' : 's3files',
    fileSystemId,
    path: path === '' ? null : path,
    accessPointId: accessPoint === '' ? null : accessPoint,
  };
}

export const isAccessPoint = (text: string): boolean => ACCESS_POINT.test(text);

/** Absolute, and without steps back. */
export const isPlainPath = (path: string): boolean => path.startsWith('/') && !path.split('/').includes('..');

/** What a volume of EFS says of how it is mounted. */
export type MountWish = {
  /** null: nothing is said. */
  readonly encrypted: boolean | null;
  readonly iam: boolean;
  readonly accessPointId: string | null;
};

const BY_ITSELF = /^(noresvport|hard|(nfs)?vers=4(\.1)?|minorversion=1|[rw]size=1048576|timeo=600|retrans=2|_netdev)$/;

/** Whether EFS is mounted so in any case. */
export const isGivenAnyway = (option: string): boolean => BY_ITSELF.test(option);

const ACCESS_POINT_OPTION = 'accesspoint=';

/** The access point that a mount option names; null: it is another option. */
export const accessPointIn = (option: string): string | null =>
  option.startsWith(ACCESS_POINT_OPTION) ? option.slice(ACCESS_POINT_OPTION.length) : null;

/** How a volume is to be mounted, by its mount options and the attribute `encryptInTransit`. */
export function mountWish(options: readonly string[], encryptInTransit: string | undefined): MountWish {
  const named = options.map(accessPointIn).find((each) => each !== null);
  const encrypted = options.includes('tls')
    ? true
    : encryptInTransit === undefined
      ? null
      : encryptInTransit === 'true';
  return { encrypted, iam: options.includes('iam'), accessPointId: named ?? null };
}
