/** Bytes that wait for a slow client before its server pauses. */
const PAUSE_AT = 1024 * 1024;
const RESUME_AT = PAUSE_AT / 4;

/**
 * Reads a response as fast as the server writes it, so that it is known how much waits for the client. A transport of
 * the SDK queues messages without a limit. If more than 1 MiB waits, the server stops reading from its upstream.
 *
 * @param response a response of the transport
 * @param source the server; without `pause`, nothing slows it down
 * @param ended called once: the response is complete, or its reader has left
 * @returns the response for the client
 */
export function drainEagerly(
  response: Response,
  source: { pause?(): void; resume?(): void },
  ended: (hasLeft: boolean) => void,
): Response {
  if (response.body === null) {
    ended(false);
    return response;
  }
  const reader = response.body.getReader();
  let [isOver, isPaused] = [false, false];
  const resume = (): void => {
    if (isPaused) source.resume?.();
    isPaused = false;
  };
  const finish = (hasLeft: boolean): void => {
    if (isOver) return;
    isOver = true;
    resume();
    ended(hasLeft);
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const drain = async (): Promise<void> => {
          for (;;) {
            const { done, value } = await reader.read();
            if (done) break;
            controller.enqueue(value);
            if (!isPaused && waiting(controller) > PAUSE_AT) {
              isPaused = true;
              source.pause?.();
            }
          }
          controller.close();
          finish(false);
        };
        drain().catch((cause) => {
          if (!isOver) controller.error(cause);
          finish(false);
        });
      },
      pull(controller) {
        if (waiting(controller) <= RESUME_AT) resume();
      },
      async cancel(reason) {
        finish(true);
        await reader.cancel(reason);
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: RESUME_AT }),
  );
  return new Response(body, { status: response.status, headers: response.headers });
}

const waiting = ({ desiredSize }: ReadableStreamDefaultController): number => RESUME_AT - (desiredSize ?? 0);
