import { describe, expect, test } from 'vitest';
import { taskDefinitionOf } from '../../../shared/domain/task/pod-template.ts';
import { admitDocument, admitted, faultLines, jobDocument } from '../../support/job-document.ts';

const SPEC = 'spec.template.spec';
const MAIN = `${SPEC}.containers[0]`;
const withMain = (fields: object) =>
  jobDocument({}, {}, { containers: [{ name: 'main', image: 'busybox', ...fields }] });
const withInit = (fields: object) => jobDocument({}, {}, { initContainers: [{ name: 'side', image: 'i', ...fields }] });
const faults = (document: object) => faultLines(admitDocument(document));
const definition = (document: object) =>
  taskDefinitionOf(admitted(document).manifest, { hash: (text) => text.length.toString() });

const ALIVE = { exec: { command: ['true'] } };
const NUMBERS = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };

describe('a probe is accepted, kept with its defaults, and warned of', () => {
  test.each([
    ['livenessProbe', ALIVE, 'a program that is stuck is not restarted'],
    ['readinessProbe', { tcpSocket: { port: 80 } }, 'a Pod is ready when it runs'],
    ['startupProbe', { exec: { command: ['a'] } }, 'a program that does not get ready is not restarted'],
  ])('%s', (name, probe, why) => {
    const { manifest, warnings } = admitted(withMain({ [name]: probe }));
    expect(manifest.spec.template.spec.containers[0]).toMatchObject({ [name]: { ...probe, ...NUMBERS } });
    expect(warnings).toEqual([expect.stringMatching(new RegExp(`^${SPEC}.*${name}: has no effect: .*${why}`))]);
    expect(definition(withMain({ [name]: probe }))).toEqual(definition(withMain({})));
  });

  test('what a handler leaves out is filled in as in a cluster', () => {
    const probeOf = (probe: object) =>
      admitted(withMain({ livenessProbe: probe })).manifest.spec.template.spec.containers[0];
    expect(probeOf({ httpGet: { port: 'http' } })).toMatchObject({
      livenessProbe: { httpGet: { path: '/', port: 'http', scheme: 'HTTP' }, ...NUMBERS },
    });
    expect(probeOf({ grpc: { port: 80 }, periodSeconds: 5 })).toMatchObject({
      livenessProbe: { grpc: { port: 80 }, ...NUMBERS, periodSeconds: 5 },
    });
  });

  test('of a sidecar, too, but for one that others would wait for', () => {
    const sidecar = { restartPolicy: 'Always', livenessProbe: ALIVE, readinessProbe: ALIVE };
    expect(admitted(withInit(sidecar)).warnings).toHaveLength(2);
    expect(faults(withInit({ ...sidecar, startupProbe: ALIVE }))).toEqual([
      `${SPEC}.initContainers[0].startupProbe: Forbidden: not supported by this version of Muster; let the containers after this one wait for it: they start as soon as it has started`,
    ]);
  });
});

describe("what no cluster takes is refused in Kubernetes' words", () => {
  const live = (probe: object) => withMain({ livenessProbe: probe });
  const AT = `${MAIN}.livenessProbe`;
  test.each<[string, object, readonly string[]]>([
    ['no handler', live({}), [`${AT}: Required value: must specify a handler type`]],
    [
      'two',
      live({ ...ALIVE, tcpSocket: { port: 80 } }),
      [`${AT}.tcpSocket: Forbidden: may not specify more than 1 handler type`],
    ],
    ['no command', live({ exec: {} }), [`${AT}.exec.command: Required value`]],
    [
      'ports',
      live({ httpGet: { port: 0, scheme: 'FTP', httpHeaders: [{ name: 'a b', value: '' }] } }),
      [
        `${AT}.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive`,
        `${AT}.httpGet.scheme: Unsupported value: "FTP": supported values: "HTTP", "HTTPS"`,
        `${AT}.httpGet.httpHeaders: Invalid value: "a b": a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')`,
      ],
    ],
    [
      'the name of a port',
      live({ tcpSocket: { port: '-A--1-with-more-than-15' } }),
      [
        'must be no more than 15 characters',
        'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
        'must not contain consecutive hyphens',
        'must not begin or end with a hyphen',
      ].map((fault) => `${AT}.tcpSocket.port: Invalid value: "-A--1-with-more-than-15": ${fault}`),
    ],
    [
      'numbers',
      live({ ...ALIVE, periodSeconds: -1, successThreshold: 2, terminationGracePeriodSeconds: 0 }),
      [
        `${AT}.periodSeconds: Invalid value: -1: must be greater than or equal to 0`,
        `${AT}.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0`,
        `${AT}.successThreshold: Invalid value: 2: must be 1`,
      ],
    ],
    [
      'a grace period for what does not end',
      withMain({ readinessProbe: { ...ALIVE, terminationGracePeriodSeconds: 5 } }),
      [`${MAIN}.readinessProbe.terminationGracePeriodSeconds: Invalid value: 5: must not be set for readinessProbes`],
    ],
    [
      'an init container',
      withInit({ livenessProbe: ALIVE }),
      [
        `${SPEC}.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always`,
      ],
    ],
  ])('%s', (_, document, expected) => {
    expect(faults(document)).toEqual(expected);
  });

  test('a port that is neither a number nor a name', () => {
    expect(faults(live({ tcpSocket: { port: true } }))).toEqual([
      expect.stringContaining(
        'cannot unmarshal bool into field spec.template.spec.containers[0].livenessProbe.tcpSocket.port of type integer',
      ),
    ]);
  });
});
