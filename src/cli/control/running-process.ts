import type { PanelState } from '../../gate/panel/panel-document.js';
import { forget, type RegistryEntry, readRegistry } from './registry.js';
import { ChangeRefusedError, SessionGoneError } from './switchboard.js';

/** A running process, and the documents of its sessions. */
export type RunningProcess = Awaited<ReturnType<typeof runningProcesses>>[number];

/** How long a process may take to answer, in milliseconds. */
const TIMEOUT = 10_000;

/**
 * Asks every registered process of this user for its sessions. Processes that do not answer to their key are removed
 * from the registry.
 *
 * @param folder from `registryFolder`
 * @returns the processes that answered
 * @example
 * const running = await runningProcesses(registryFolder(process.env));
 */
export async function runningProcesses(folder: string) {
  const asked = readRegistry(folder).map(async (entry) => {
    try {
      const response = await call(entry, '/panel/sessions');
      if (response.ok) return [{ entry, states: await sessionsOf(response) }];
    } catch {
      // The port is closed, or another program listens on it.
    }
    forget(folder, entry);
    return [];
  });
  return (await Promise.all(asked)).flat();
}

/**
 * Switches one session.
 *
 * @param entry the process
 * @param session the id of the session
 * @param concerns values by concern, or a preset
 * @returns the document after the change
 * @throws {ChangeRefusedError} if a value is not valid
 * @throws {SessionGoneError} if the session has ended
 * @example
 * await switchSession(entry, session, { preset: 'safe' });
 */
export async function switchSession(
  entry: RegistryEntry,
  session: string,
  concerns: Readonly<Record<string, unknown>>,
): Promise<PanelState> {
  const path = `/panel/sessions/${session}/concerns`;
  const response = await call(entry, path, { method: 'PUT', body: JSON.stringify({ concerns }) });
  if (response.ok) {
    const [state] = await sessionsOf(response);
    if (state !== undefined) return state;
  } else if (response.status !== 404) {
    const { error } = (await response.json()) as { error?: string };
    throw new ChangeRefusedError(error ?? `The process answered with status ${response.status}.`, {
      exitCode: 1,
    });
  }
  throw new SessionGoneError(
    `The session ${session} has ended. Reconnect the host, and run the command again.`,
  );
}

const call = ({ url, token }: RegistryEntry, path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url + path, {
    ...init,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT),
  });

async function sessionsOf(response: Response): Promise<readonly PanelState[]> {
  const { sessions } = (await response.json()) as { readonly sessions: readonly PanelState[] };
  return sessions;
}
