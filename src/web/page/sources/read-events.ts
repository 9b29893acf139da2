/**
 * Reads a stream of server-sent events.
 *
 * @param body the body of a response
 * @returns the data of each event; comments are skipped
 * @example
 * for await (const data of readEvents(response.body)) receive(JSON.parse(data));
 */
export async function* readEvents(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  // Not all browsers can iterate over a stream.
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const events = `${rest}${value}`.split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const data = event.split('\n').filter((line) => line.startsWith('data: '));
      if (data.length > 0) yield data.map((line) => line.slice('data: '.length)).join('\n');
    }
  }
}
