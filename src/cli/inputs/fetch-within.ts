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
export async function fetchWithin(
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
