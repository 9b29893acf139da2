import { read } from '../../wire/messages.js';
import { messagesIn } from '../streams/messages-in.js';
import type { UpstreamServer } from '../upstream-server.js';

/**
 * Gives a response the status and the header with which the server behind the endpoint refuses the caller. The SDK begins a
 * response before its first message, and its status cannot change then. So this waits for that message,
 * which takes time for nothing if the server is local: it refuses nobody.
 *
 * @param server the server behind the endpoint; `undefined` if the request has none
 * @param body the body of the request
 * @param response the response of the SDK
 * @param signal aborted when the client has left
 */
export async function passRefusal(
  server: UpstreamServer | undefined,
  body: unknown,
  response: Response,
  signal: AbortSignal,
): Promise<Response> {
  // In a batch, each refused request has its own error.
  if (server === undefined || !response.ok) return response;
  if (response.body === null || Array.isArray(body)) return response;
  const [first, carried] = response.body.tee();
  const reader = first.getReader();
  const leave = (): void => void reader.cancel();
  signal.addEventListener('abort', leave, { once: true });
  let { value, done } = await reader.read();
  while (!done && isPriming(value)) ({ value, done } = await reader.read());
  signal.removeEventListener('abort', leave);
  leave();
  // Lists can have megabytes, so they are not read without need.
  const [message] = server.refused === undefined ? [] : messagesIn(new TextDecoder().decode(value));
  const isError = read(message, 'error') !== undefined;
  const refused = isError ? refusedCaller(server, JSON.stringify(message)) : undefined;
  if (refused !== undefined) await carried.cancel();
  return refused ?? new Response(carried, response);
}

/** Longer than an event without a message can be. */
const PRIMING_BYTES = 200;

/** Whether a part of a stream has only the event that gives the stream an id, which the SDK sends before the first message. */
const isPriming = (part: Uint8Array | undefined): boolean =>
  part !== undefined && part.length < PRIMING_BYTES && !part.includes(0x7b);

/** @returns the response to a caller whom the server behind the endpoint refuses; `undefined` if it does not */
export function refusedCaller({ refused }: UpstreamServer, body: string): Response | undefined {
  if (refused === undefined) return undefined;
  const { status, challenge } = refused;
  const challenged = challenge === undefined ? undefined : { 'www-authenticate': challenge };
  return new Response(body, { status, headers: { 'content-type': 'application/json', ...challenged } });
}
