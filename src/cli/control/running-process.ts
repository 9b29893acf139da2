import type { PanelState } from '../../core/gate/panel/panel-document.js';
import { read } from '../../core/wire/messages.js';
import { systemCode } from '../errors.js';
import { forget, type RegistryEntry, readRegistry } from './registry.js';
import { ChangeRefusedError, SessionGoneError } from './switch-errors.js';

/** A registered process, and the documents of its sessions; `undefined` if it did not answer. */
export interface RunningProcess {
  readonly entry: RegistryEntry;
  readonly states: readonly PanelState[] | undefined;
}

/** How long a process may take to answer, in milliseconds. */
const TIMEOUT = 10_000;

/**
 * Asks every registered process of this user for its sessions. A process whose port is closed, or that does not know its
 * key, is removed from the registry. Others may only be slow.
 *
 * @param folder from `registryFolder`
 * @returns the processes
 * @example
 * const running = await runningProcesses(registryFolder(process.env));
 */
export async function runningProcesses(folder: string): Promise<RunningProcess[]> {
  const asked = readRegistry(folder).map(async (entry): Promise<RunningProcess[]> => {
    try {
      const response = await call(entry, '/panel/sessions');
      if (response.ok) return [{ entry, states: await sessionsOf(response) }];
      if (response.status !== 401) return [{ entry, states: undefined }];
    } catch (error) {
      if (systemCode(read(error, 'cause')) !== 'ECONNREFUSED') return [{ entry, states: undefined }];
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
 * @param onlyNarrows whether to refuse a change that shows more
 * @returns the document after the change
 * @throws {ChangeRefusedError} if a value is not valid, or the process does not answer
 * @throws {SessionGoneError} if the session has ended
 * @example
 * await switchSession(entry, session, { preset: 'safe' });
 */
export async function switchSession(
  entry: RegistryEntry,
  session: string,
  concerns: Readonly<Record<string, unknown>>,
  onlyNarrows = false,
): Promise<PanelState> {
  const path = `/panel/sessions/${session}/concerns`;
  const body = JSON.stringify({ concerns, onlyNarrows });
  const response = await call(entry, path, { method: 'PUT', body }).catch((cause: unknown) => {
    throw new ChangeRefusedError('It did not answer, so it is not known whether it switched.', { cause });
  });
  if (response.ok) {
    const [state] = await sessionsOf(response);
    if (state !== undefined) return state;
  } else if (response.status !== 404) {
    const { error } = (await response.json()) as { error?: string };
    throw new ChangeRefusedError(error ?? `The process answered with status ${response.status}.`);
  }
  throw new SessionGoneError(
    `The session ${session} has ended. Reconnect the host, and run the command again.`,
  );
}

const call = ({ url, token }: RegistryEntry, path: string, init: RequestInit = {}): Promise<Response> =>
  fetchWithin(TIMEOUT, url + path, {
    ...init,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    redirect: 'error',
  });

async function sessionsOf(response: Response): Promise<readonly PanelState[]> {
  const { sessions } = (await response.json()) as { readonly sessions: readonly PanelState[] };
  return sessions;
}

/**
 * Fetches, and gives up after a time. Node.js 20 does not settle a fetch whose connection breaks before its request is sent, and
 * nothing of it keeps the process alive: without a timer that does, the command would end with code 13 and no word.
 *
 * @param milliseconds how long the answer may take
 * @param url the address
 * @param init what `fetch` takes, without a signal
 * @returns the response; rejects if it is late, or as `fetch` does
 * @example
 * await fetchWithin(5000, 'http://127.0.0.1:1234/panel/sessions');
 */
async function fetchWithin(
  milliseconds: number,
  url: string,
  init: Omit<RequestInit, 'signal'> = {},
): Promise<Response> {
  const alive = setTimeout(() => undefined, 2 * milliseconds);
  try {
    return await fetch(url, { ...init, signal: AbortSignal.timeout(milliseconds) });
  } finally {
    clearTimeout(alive);
  }
}
