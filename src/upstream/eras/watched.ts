import { METHODS } from '../../wire/messages.js';
import { ownCall } from '../call.js';
import type { Opened, Recovery } from '../recovery.js';
import { wrapParams } from './envelope.js';
import { NOBODY } from './era.js';

/** Milliseconds until a stream of changes that ended is opened again. */
const AGAIN_MS = 1000;

/** Keeps a server behind one connection told of what clients watch. */
export class Watched {
  private stream: AbortController | undefined;

  /** @param uris returns what clients watch now */
  constructor(
    private readonly recovery: () => Recovery,
    private readonly isModern: boolean,
    private readonly uris: () => readonly string[],
  ) {}

  /** Must be called when the first client begins to watch a URI, or the last one stops. */
  async change(uri: string, isNew: boolean): Promise<void> {
    if (this.isModern) await this.listen(await this.recovery().opened());
    else await this.recovery().request(ownCall(isNew ? SUBSCRIBE : 'resources/unsubscribe', { uri }));
  }

  /** Must be called when the server was opened again: it has forgotten what it was asked. */
  async reopened(opened: Opened): Promise<void> {
    if (this.isModern) await this.listen(opened);
    else for (const uri of this.uris()) await opened.channel.request(ownCall(SUBSCRIBE, { uri }));
  }

  close(): void {
    this.stream?.abort();
  }

  /** Opens the new stream before the old one ends, so that nothing is missed. Resolves when the server knows. */
  private listen({ channel, about }: Opened): Promise<void> {
    const [before, stream] = [this.stream, new AbortController()];
    this.stream = stream;
    const all = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
    const notifications = { ...all, resourceSubscriptions: this.uris() };
    const params = wrapParams({ notifications }, NOBODY);
    return new Promise((resolve) => {
      const ready = (): void => {
        before?.abort();
        resolve();
      };
      const call = { ...ownCall(METHODS.listen, params), signal: stream.signal, notify: ready };
      void channel.request(call).then((outcome) => {
        ready();
        // A server that does not offer the stream answers an error; one that ended is asked when it is open again.
        if (stream.signal.aborted || 'error' in outcome || ('failed' in outcome && outcome.failed.isLost))
          return;
        setTimeout(() => {
          if (!stream.signal.aborted) void this.listen({ channel, about });
        }, AGAIN_MS).unref();
      });
    });
  }
}

const SUBSCRIBE = 'resources/subscribe';
