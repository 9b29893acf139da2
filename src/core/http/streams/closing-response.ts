import { SlowReaders, UNPACED } from './slow-readers.js';

/**
 * Closes the server of a response: at once if the response is complete, else when it was read or its reader went away.
 *
 * @param response an event stream, which ends with the last answer
 * @param isAnswered whether it contains all answers
 * @param close closes the server
 * @returns the response for the client
 */
export async function closeAfter(
  response: Response,
  isAnswered: () => boolean,
  close: () => Promise<void>,
): Promise<Response> {
  // Tools that wait for nothing answer within 11 microtasks. A second stream around that of the SDK would take 40 us.
  for (let turn = 0; turn < 32 && !isAnswered(); turn++) await undefined;
  // The response neither waits for the closing nor fails with it.
  const end = (hasLeft: boolean): void =>
    void (hasLeft ? close() : afterMicrotasks().then(close)).catch(() => undefined);
  if (!isAnswered()) return new SlowReaders(UNPACED).open(true, end).carry(response);
  end(false);
  return response;
}

/**
 * The server learns some microtasks after the reader that its answer was sent. Closed before, it aborts the request that it
 * just answered: its handler gets a signal that tells it to stop, and making the error takes 35 us. A timer would take a
 * millisecond.
 */
async function afterMicrotasks(): Promise<void> {
  for (let turn = 0; turn < 16; turn++) await undefined;
}
