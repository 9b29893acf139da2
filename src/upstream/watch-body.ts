/** Where an event stream has the id of an event: such a stream can be resumed. */
const EVENT_ID = /^id:/m;

/**
 * Tells when the body of a response has ended, also by an error, and lets it wait.
 *
 * @param response the response
 * @param ports `waits`: what must be over before more is read; `ended`: called once at the end, with whether the stream
 *   can be resumed
 * @returns a response with the same content
 */
export function watchBody(
  response: Response,
  ports: { readonly waits: () => Promise<void> | undefined; readonly ended: (isResumable: boolean) => void },
): Response {
  if (response.body === null) {
    ports.ended(false);
    return response;
  }
  const reader = response.body.getReader();
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  let isResumable = false;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await ports.waits();
      const { done, value } = await reader.read().catch((cause) => {
        ports.ended(isResumable);
        throw cause;
      });
      if (done) {
        controller.close();
        return ports.ended(isResumable);
      }
      isResumable ||= isStream && EVENT_ID.test(Buffer.from(value).toString('latin1'));
      controller.enqueue(value);
    },
    async cancel(reason) {
      ports.ended(isResumable);
      await reader.cancel(reason);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}
