export type { UpstreamEvent } from '../http/log/upstream-event.js';

/** The state of a server behind the endpoint. */
export interface UpstreamState {
  /**
   * - `connecting`: opened for the first time, and not initialized yet
   * - `ready`: answers requests
   * - `failed`: the connection was lost, or an attempt to open it failed. The next request opens it again.
   * - `restarting`: as `connecting`, after a failure
   */
  readonly state: 'idle' | 'connecting' | 'ready' | 'failed' | 'restarting';
  /** Failures since the last answer. The next attempt waits longer after each. */
  readonly failures: number;
  /** How often it was opened again. */
  readonly restarts: number;
}

/** What can happen to a server behind the endpoint. */
export type UpstreamHappening = 'opens' | 'opened' | 'answers' | 'fails';

export const IDLE: UpstreamState = { state: 'idle', failures: 0, restarts: 0 };

/**
 * Returns the state after something happened.
 *
 * @param before the state
 * @param happening what happened
 * @returns the state; the same object if nothing changed
 * @example
 * transition({ state: 'ready', failures: 0, restarts: 0 }, 'fails'); // { state: 'failed', failures: 1, restarts: 0 }
 */
export function transition(before: UpstreamState, happening: UpstreamHappening): UpstreamState {
  const { state, failures, restarts } = before;
  switch (happening) {
    case 'opens':
      if (state === 'idle') return { ...before, state: 'connecting' };
      return { state: 'restarting', failures, restarts: restarts + 1 };
    case 'opened':
      return { ...before, state: 'ready' };
    case 'answers':
      // A server that initializes and then ends at each request still has to wait longer and longer.
      return state === 'ready' && failures === 0 ? before : { ...before, state: 'ready', failures: 0 };
    case 'fails':
      return { state: 'failed', failures: failures + 1, restarts };
  }
}

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 2000;

/**
 * Returns how long to wait before the server is opened again: 0, then 100 ms, doubled up to 2 s. So service is back
 * within seconds after the server is.
 *
 * @param state the state
 * @returns milliseconds
 * @example
 * delayBefore({ state: 'failed', failures: 3, restarts: 2 }); // 200
 */
export function delayBefore({ failures }: UpstreamState): number {
  if (failures <= 1) return 0;
  return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures - 2, 10));
}
