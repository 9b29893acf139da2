import { METHODS, read, TASKS_EXTENSION } from '../../core/wire/messages.js';
import { type Notify, ownCall } from '../call.js';
import type { Channel } from '../channel.js';
import type { Recovery } from '../recovery.js';
import { SELF, wrapParams } from './envelope.js';

/** What clients watch, as a stream names it: resources by their URI, tasks by their id. */
export type WatchedKind = 'resourceSubscriptions' | 'taskIds';

/** Milliseconds until a stream of changes that ended is opened again. */
const AGAIN_MS = 1000;
/** Who watches. The stream is that of all clients, and only of those that declare the extension it is about tasks. */
const WATCHER = { info: SELF, capabilities: { extensions: { [TASKS_EXTENSION]: {} } } };

/** Keeps a server behind one connection told of what clients watch. */
export class Watched {
  private stream: AbortController | undefined;
  /** The tasks that the server has acknowledged. */
  tasks: ReadonlySet<string> = new Set();

  /** @param names returns what clients watch now */
  constructor(
    private readonly recovery: Recovery,
    private readonly isModern: boolean,
    private readonly names: (kind: WatchedKind) => readonly string[],
  ) {}

  /** Must be called when clients begin to watch something, or the last one stops. A legacy server knows only resources. */
  async change(names: readonly string[], isNew: boolean): Promise<void> {
    if (this.isModern) return this.listen(await this.recovery.opened());
    const method = isNew ? SUBSCRIBE : 'resources/unsubscribe';
    await Promise.all(names.map((uri) => this.recovery.request(ownCall(method, { uri }))));
  }

  /** Must be called when the server was opened again: it has forgotten what it was asked. */
  async reopened(channel: Channel): Promise<void> {
    if (this.isModern) return this.listen(channel);
    for (const uri of this.names('resourceSubscriptions')) await channel.request(ownCall(SUBSCRIBE, { uri }));
  }

  close(): void {
    this.stream?.abort();
  }

  /** Opens the new stream before the old one ends, so that nothing is missed. Resolves when the server knows. */
  private listen(channel: Channel): Promise<void> {
    const [before, stream] = [this.stream, new AbortController()];
    this.stream = stream;
    const all = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
    const taskIds = this.names('taskIds');
    const notifications = {
      ...all,
      resourceSubscriptions: this.names('resourceSubscriptions'),
      ...(taskIds.length === 0 ? {} : { taskIds }),
    };
    const params = wrapParams({ notifications }, WATCHER);
    return new Promise((resolve) => {
      const notify: Notify = (_method, acknowledged) => {
        const known = read(acknowledged, 'notifications', 'taskIds');
        this.tasks = new Set(Array.isArray(known) ? known.map(String) : []);
        before?.abort();
        resolve();
      };
      const call = { ...ownCall(METHODS.listen, params), signal: stream.signal, notify };
      void channel.request(call).then((outcome) => {
        resolve();
        if (stream.signal.aborted) return;
        // A server that does not offer the stream, or not this one, answers an error. What it told before, it still tells.
        if ('error' in outcome && this.stream === stream) this.stream = before;
        // One that ended is asked when it is open again.
        if ('error' in outcome || ('failed' in outcome && outcome.failed.failure.isEnded)) return;
        setTimeout(() => {
          if (!stream.signal.aborted) void this.listen(channel);
        }, AGAIN_MS).unref();
      });
    });
  }
}

const SUBSCRIBE = 'resources/subscribe';
