/** The API Gateway address that a proxy signs for. */
export type Upstream = {
  readonly protocol: 'http:' | 'https:';
  readonly hostname: string;
  /** null: the protocol's default port */
  readonly port: number | null;
  /** The Host header. */
  readonly host: string;
  /** The stage: `/k8s`, or empty. */
  readonly prefix: string;
  readonly region: string;
};

export type UpstreamRead =
  | { readonly kind: 'read'; readonly upstream: Upstream }
  | { readonly kind: 'bad'; readonly reason: string };

const LOOPBACK: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];
/** `<api-id>.execute-api.<region>.amazonaws.com`, with the endpoint's suffix in China; API Gateway Developer Guide, "Invoke REST APIs". */
const EXECUTE_API = /^([a-z0-9-]+)\.execute-api\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?$/;

/** The API of API Gateway that has this host name; null: it has another form. */
export function apiAt(hostname: string): { readonly apiId: string; readonly region: string } | null {
  const [, apiId, region] = EXECUTE_API.exec(hostname) ?? [];
  return apiId === undefined || region === undefined ? null : { apiId, region };
}

/** Parses `--server`; the region is the host's if its name has one, otherwise `region`. */
export function readUpstream(server: string, region: string | null): UpstreamRead {
  const bad = (reason: string): UpstreamRead => ({ kind: 'bad', reason });
  const url = URL.canParse(server) ? new URL(server) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return bad(
      `${JSON.stringify(server)} is not an address such as https://a1b2c3.execute-api.eu-west-1.amazonaws.com/k8s`,
    );
  if (url.protocol === 'http:' && !LOOPBACK.includes(url.hostname))
    return bad(`${server}: plain http is allowed only on this machine`);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    return bad(`${server}: specify only a host and a path, such as the output ApiUrl of the deployment`);
  const ofHost = apiAt(url.hostname)?.region ?? null;
  if (ofHost !== null && region !== null && ofHost !== region)
    return bad(`the host is in ${ofHost}, but --region is ${region}`);
  const signedFor = ofHost ?? region;
  if (signedFor === null) return bad(`${url.hostname} does not include its Region: set --region`);
  return {
    kind: 'read',
    upstream: {
      protocol: url.protocol,
      hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port === '' ? null : Number(url.port),
      host: url.host,
      prefix: url.pathname.replace(/\/+$/, ''),
      region: signedFor,
    },
  };
}
