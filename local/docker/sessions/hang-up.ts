import * as z from 'zod';
import { HANG_UP_MS, SESSION_VARIABLE, sessionOf } from '../../ecs/sessions/session-processes.ts';
import { send } from '../../process-table.ts';
import { type Engine, EngineError } from '../engine.ts';

/** Takes the variable with its value, and the seconds. An engine has no call that ends what it runs in a container. */
const SCRIPT = `
all() {
  for each in /proc/[0-9]*; do
    if tr '\\0' '\\n' < "$each/environ" | grep -qxF "$mark"; then kill "-$1" "\${each#/proc/}"; fi
  done
}
exec 2> /dev/null
mark="$1"
all HUP
sleep "$2"
all KILL
`;

const CreatedSchema = z.looseObject({ Id: z.string() });
const ExecSchema = z.looseObject({ ExitCode: z.int().nullish(), Running: z.boolean(), Pid: z.int().optional() });

/** What an engine says of a program that it runs in a container (Docker Engine API, ExecInspect). Throws an EngineError. */
export const inspectExec = async (engine: Engine, id: string): Promise<z.output<typeof ExecSchema>> =>
  ExecSchema.parse(await engine.ask({ method: 'GET', path: `/exec/${id}/json` }));

/** Makes one that does not run yet. Throws an EngineError. */
export async function createExec(engine: Engine, container: string, body: object): Promise<string> {
  return CreatedSchema.parse(await engine.ask({ method: 'POST', path: `/containers/${container}/exec`, body })).Id;
}

/**
 * Ends all programs of a session: SIGHUP, and SIGKILL after a while. A shell of the container does that; if it has none, this
 * process does, if the engine is on this machine and lets it.
 *
 * @param exec the engine's name of the session's first program
 */
export async function hangUp(engine: Engine, container: string, exec: string, session: string): Promise<void> {
  const mark = `${SESSION_VARIABLE}=${session}`;
  try {
    const Cmd = ['sh', '-c', SCRIPT, 'muster-hang-up', mark, String(HANG_UP_MS / 1_000)];
    const killer = await createExec(engine, container, { Cmd, AttachStdout: false, AttachStderr: false });
    await engine.ask({ method: 'POST', path: `/exec/${killer}/start`, body: { Detach: true } });
    const { Running, ExitCode } = await inspectExec(engine, killer);
    if (Running || ExitCode === 0) return;
  } catch (error) {
    if (!(error instanceof EngineError) || error.status === null) return;
  }
  const { Pid = 0, Running } = await inspectExec(engine, exec);
  if (Running && Pid > 1) killFromHere(Pid, session);
}

/** Only what is surely that process: an engine may be on another machine, or count processes by itself. */
function killFromHere(pid: number, session: string): void {
  const signal = (name: 'SIGHUP' | 'SIGKILL'): void => {
    if (sessionOf(pid) === session) send(pid, name);
  };
  signal('SIGHUP');
  setTimeout(() => signal('SIGKILL'), HANG_UP_MS).unref();
}
