import type { ListenerOptions } from '../../local/local-part.ts';
import { usageFailure } from './failure.ts';
import { httpUrlFault } from '../text/http-url.ts';
import { secretLineIn } from './secret-file.ts';
import type { Shell } from './shell.ts';

/** Who is to hear of changes of Jobs. */
export type ListenerFlags = {
  readonly listeners?: ListenerOptions;
  /** A file with the address that changes are posted to; null: the one in `listeners`, else MUSTER_EVENT_URL, if it is set. */
  readonly eventUrlFile: string | null;
  /** A file with the key that signs what is posted; null: MUSTER_EVENT_KEY, if it is set. */
  readonly eventKeyFile: string | null;
};

type Secrets = Pick<Shell, 'cwd' | 'env'>;

/**
 * The listeners of `muster local`, with the address and the key that files or variables hold: everybody on the machine sees command
 * lines. The command line's word comes first, then a file, then a variable.
 *
 * @throws Failure when a file is not there, empty, or open to others, or when there is a key and no address
 */
export function listenersIn(
  { listeners = {}, eventUrlFile, eventKeyFile }: ListenerFlags,
  shell: Secrets,
): ListenerOptions {
  const url = listeners.url ?? hiddenUrl(eventUrlFile, shell);
  if (url === null) {
    if (eventKeyFile === null) return listeners;
    throw usageFailure('--event-key-file needs --on-event-url, --on-event-url-file, or MUSTER_EVENT_URL');
  }
  const key =
    eventKeyFile === null ? shell.env['MUSTER_EVENT_KEY'] : secretLineIn('--event-key-file', eventKeyFile, shell);
  return { ...listeners, url, ...(key === undefined || key === '' ? {} : { signingKey: key }) };
}

function hiddenUrl(file: string | null, shell: Secrets): string | null {
  const [from, text] =
    file === null
      ? (['MUSTER_EVENT_URL', shell.env['MUSTER_EVENT_URL'] ?? ''] as const)
      : (['--on-event-url-file', secretLineIn('--on-event-url-file', file, shell)] as const);
  if (text === '') return null;
  const fault = httpUrlFault(text);
  if (fault !== null) throw usageFailure(`${from}: it ${fault}`); // without what it holds
  return text;
}
