import type { SharedCatalog } from '../../core/gate/request/catalog-cache.js';
import type { SlowReaders } from '../../core/http/streams/slow-readers.js';
import { deferred } from '../../core/once.js';
import {
  type Capability,
  ERRORS,
  type Era,
  LIST_CHANGES,
  listChangedMethod,
  METHODS,
  type Request,
  read,
  refusal,
} from '../../core/wire/messages.js';
import type { Backend, Backends, Client, ClientPort } from '../backend.js';
import {
  type AnswerOverHttp,
  CANCELLED,
  type Notify,
  ownCall,
  type Params,
  type ServerCall,
} from '../call.js';
import type { Start } from './start.js';

/**
 * A server that answers before it has started: what it says of itself, and lists, come from what it said when it was up last.
 * Everything else waits for it. When it is up, its lists are compared, and the client is told of those that differ.
 */
export class EarlyServer implements Backend {
  private readonly inner: Backend;
  /** Resolves when the client has sent `initialized`. */
  private initialized = deferred();
  private readonly toldClient = (changed: Capability): void =>
    this.port.tell(listChangedMethod(changed), undefined);

  /**
   * @param backends make what answers when the server is up
   * @param client the client
   * @param port reaches it outside of its requests
   * @param start the start of the server
   * @param begin lets a start begin that all clients share, with the first of their requests; without it, the start is that
   *   of this client alone
   */
  constructor(
    backends: Backends,
    client: Client,
    private readonly port: ClientPort,
    private readonly start: Start,
    private readonly begin?: (call: ServerCall) => void,
  ) {
    if (client.lasts) start.clients.add(this.toldClient);
    this.inner = backends.behind(client, { ...port, tell: this.telling(port.tell) });
  }

  get readers(): SlowReaders {
    return this.inner.readers;
  }

  get isLocal(): boolean {
    return this.inner.isLocal;
  }

  get serverEra(): Era | undefined {
    return this.inner.serverEra;
  }

  get servers(): ReadonlySet<string> {
    return this.inner.servers;
  }

  get isEarly(): boolean {
    return this.start.isEarly;
  }

  listsFor(request: Request): SharedCatalog | undefined {
    // What the server listed when it was up last must not be kept as what it lists.
    return this.start.isEarly ? undefined : this.inner.listsFor(request);
  }

  async leave(): Promise<void> {
    this.start.clients.delete(this.toldClient);
    if (this.begin === undefined) this.start.end();
    this.initialized.resolve();
    await this.inner.leave();
  }

  notified(method: string, params: Params): void {
    this.inner.notified(method, params);
    if (method === METHODS.initialized) this.initialized.resolve();
  }

  async answer(call: ServerCall): Promise<AnswerOverHttp> {
    const { start, inner } = this;
    const { method, params, signal } = call;
    this.begin?.(call);
    if (method === METHODS.initialize && this.begin === undefined) {
      const asked = inner.answer(call);
      this.initialized = deferred();
      start.begin((name, page) => inner.answer(ownCall(name, page)), asked, this.initialized.promise);
      return start.answer(method, params) ?? asked;
    }
    if (method === METHODS.listen) return this.listen(call);
    if (!start.isEarly) return inner.answer(call);
    const early = start.answer(method, params);
    if (early !== undefined) return early;
    await start.checked;
    if (signal.aborted) return CANCELLED;
    return start.isAsTold(method, params) ? inner.answer(call) : refusal(ERRORS.invalidParams, CHANGED);
  }

  /** Tells a modern client of the comparison too, until it leaves. */
  private async listen(call: ServerCall): Promise<AnswerOverHttp> {
    const { clients } = this.start;
    const tell: typeof this.toldClient = (changed) => {
      if (read(call.params, 'notifications', `${changed}ListChanged`) === true)
        call.notify(listChangedMethod(changed), undefined);
    };
    clients.add(tell);
    const answer = await this.inner.answer({ ...call, notify: this.telling(call.notify) });
    clients.delete(tell);
    return answer;
  }

  private telling(tell: Notify): Notify {
    return (method, params) => {
      if (LIST_CHANGES.has(method)) {
        // The comparison tells the client.
        if (this.start.isEarly) return;
        void this.start.changed();
      }
      tell(method, params);
    };
  }
}

const CHANGED =
  'What this names changed while its server started, and may not be what was listed. List again, and then send the request again.';
