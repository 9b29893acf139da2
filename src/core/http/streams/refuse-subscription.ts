import { ERRORS, failure, METHODS, type RequestId, read } from '../../wire/messages.js';
import { askedTasks, MISSING_EXTENSION } from '../../wire/task-streams.js';

/**
 * Refuses a subscription at an endpoint that serves none, as a method that it does not have (MCP 2026-07-28, Streamable
 * HTTP). A client that subscribes to tasks and does not declare the Tasks extension learns that first, as the extension
 * requires.
 *
 * @param body the parsed body of a request
 * @returns the response; `undefined` if the request is not a subscription
 * @example
 * refuseSubscription({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen' })?.status; // 404
 */
export function refuseSubscription(body: unknown): Response | undefined {
  if (read(body, 'method') !== METHODS.listen) return undefined;
  // The cast is safe: SDK v2 reads the body before, and refuses ids of another type.
  const id = (read(body, 'id') ?? null) as RequestId | null;
  if (askedTasks(read(body, 'params')) === MISSING_EXTENSION) {
    return Response.json({ jsonrpc: '2.0', id, ...MISSING_EXTENSION }, { status: 400 });
  }
  return Response.json(failure(id, ERRORS.methodNotFound, 'Method not found'), { status: 404 });
}
