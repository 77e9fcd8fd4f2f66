import type { TaskSessions } from '../../../../local/container-sessions.ts';
import type { SessionPlan } from '../domain/session-plan.ts';
import { portIn } from '../domain/wanted.ts';
import { forward } from './forward.ts';
import type { SpdyStream } from './spdy-connection.ts';

/** Takes the streams of a client that forwards ports: two for each connection, which have its number and its port. */
export function forwardStreams(plan: SessionPlan, sessions: TaskSessions): (stream: SpdyStream) => void {
  const halves = new Map<string, SpdyStream>();
  return (stream) => {
    const type = stream.headers.get('streamtype') ?? '';
    const port = portIn(stream.headers.get('port') ?? '');
    if (port === null || (type !== 'data' && type !== 'error')) {
      stream.reset();
      return;
    }
    // Very old clients number nothing: the stream of data follows that of errors.
    const id = stream.headers.get('requestid') ?? String(type === 'data' ? stream.id - 2 : stream.id);
    const other = halves.get(id);
    if (other === undefined) {
      halves.set(id, stream);
      stream.once('close', () => {
        if (halves.get(id) === stream) halves.delete(id);
      });
      return;
    }
    halves.delete(id);
    if (other.headers.get('streamtype') === type) {
      stream.reset();
      return;
    }
    const [data, error] = type === 'data' ? [stream, other] : [other, stream];
    error.resume();
    void forward(port, { data, error }, plan, sessions);
  };
}
