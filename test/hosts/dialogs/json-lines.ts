import { read } from '../../../src/core/wire/messages.js';
import type { Running } from '../processes.js';

/** The other side of a conversation of JSON-RPC messages, one in each line. */
export interface Peer {
  /** Sends a request, and resolves with its result. */
  request(method: string, params: object): Promise<unknown>;
  notify(method: string, params: object): void;
  /** Resolves with the params of the next notification of this method. */
  next(method: string): Promise<unknown>;
}

/**
 * Speaks JSON-RPC with a process.
 *
 * @param running the process
 * @param answer answers the requests of the process
 */
export function jsonLines(running: Running, answer: (method: string, params: unknown) => unknown): Peer {
  let last = 0;
  const pending = new Map<unknown, { resolve(value: unknown): void; reject(cause: Error): void }>();
  const awaited = new Map<string, (params: unknown) => void>();
  const send = (message: object): void => running.write(JSON.stringify({ jsonrpc: '2.0', ...message }));
  running.onLine((line) => {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      // A log line of the host.
      return;
    }
    const [id, method] = [read(message, 'id'), read(message, 'method')];
    if (typeof method === 'string') {
      const params = read(message, 'params');
      if (id !== undefined) return send({ id, result: answer(method, params) });
      awaited.get(method)?.(params);
      awaited.delete(method);
      return;
    }
    const error = read(message, 'error');
    if (error === undefined) pending.get(id)?.resolve(read(message, 'result'));
    else pending.get(id)?.reject(new Error(JSON.stringify(error)));
    pending.delete(id);
  });
  const failed = running.ended.then(({ code, stderr }) => {
    throw new Error(`The host ended with ${code}: ${stderr.slice(-400)}`);
  });
  // Handled where it matters: by everything that waits.
  failed.catch(() => undefined);
  return {
    request: (method, params) => {
      last += 1;
      const id = last;
      const answered = new Promise<unknown>((resolve, reject) => pending.set(id, { resolve, reject }));
      send({ id, method, params });
      return Promise.race([answered, failed]);
    },
    notify: (method, params) => send({ method, params }),
    next: (method) => Promise.race([new Promise((resolve) => awaited.set(method, resolve)), failed]),
  };
}
