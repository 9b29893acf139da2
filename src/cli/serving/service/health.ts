/** Milliseconds that a server may take to answer. Kubernetes waits for one second by default. */
const PATIENCE_MS = 900;

/**
 * Answers the probes of a platform: `/healthz` while the process runs, `/readyz` while it takes requests and the server behind it
 * answers. They are asked by address, without the name and the key of the endpoint, so they tell nothing else.
 *
 * @param isUp asks the server behind the endpoint
 * @param ending aborted when the process takes no new requests
 * @returns answers a request; `undefined` if it is not a probe
 * @example
 * const response = await probes((signal) => bridged.isUp(signal), ending)(request);
 */
export function probes(isUp: (signal: AbortSignal) => Promise<boolean>, ending: AbortSignal) {
  let asking: Promise<boolean> | undefined;
  return async (request: Request): Promise<Response | undefined> => {
    const { pathname } = new URL(request.url);
    if (pathname === '/healthz') return new Response('ok\n');
    if (pathname !== '/readyz') return undefined;
    // Any number of probes at once is one question.
    asking ??= isUp(AbortSignal.timeout(PATIENCE_MS)).finally(() => {
      asking = undefined;
    });
    if (ending.aborted) return new Response('The endpoint is ending.\n', { status: 503 });
    if (await asking) return new Response('ok\n');
    return new Response('The server behind the endpoint does not answer.\n', { status: 503 });
  };
}
