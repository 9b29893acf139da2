import { MAX_AGE_MS, SharedCatalog } from '../../gate/request/catalog-cache.js';
import { nameIn } from '../../gate/table/routes.js';
import { withName } from '../../gate/table/routing.js';
import { SlowReaders } from '../../http/streams/slow-readers.js';
import {
  CAPABILITIES,
  ERRORS,
  errorOf,
  LISTS,
  listChangedMethod,
  METHODS,
  type Members,
  membersOf,
  read,
  refusal,
} from '../../wire/messages.js';
import { isShortened } from '../../wire/server-names.js';
import type { Backend, Backends, Client, ClientPort } from '../backend.js';
import {
  type AnswerOverHttp,
  type Notify,
  ownCall,
  type Params,
  type ServerCall,
  unknownMethod,
} from '../call.js';
import type { UpstreamOptions } from '../options.js';
import { introduce } from './introduce.js';
import { isList, listAll } from './list-all.js';
import { listenToAll } from './listen-to-all.js';
import { Member } from './member.js';
import { ask, inwardToken, type Part, portOf, withoutToken } from './part.js';
import { renameResult, type ServerName, targetIn } from './rename.js';

/** One of several servers, and what its clients share. */
interface OneServerOfSeveral {
  readonly slug: string;
  /** What clients share of it that have no process of their own. */
  readonly shared: Member;
  readonly isShared: boolean;
  readonly backends: Backends;
  readonly report: UpstreamOptions['report'];
}

/** Several servers as one: the gate in front of it does not know. Each request goes to the server whose name it has. */
export class SeveralServers implements Backend {
  readonly readers = new SlowReaders({
    pause: (isPaused) => {
      for (const { backend } of this.parts) backend.readers.source.pause(isPaused);
    },
  });
  readonly isLocal = false;
  /** Each server has its own. */
  readonly serverEra = undefined;
  readonly servers: ReadonlySet<string>;
  private readonly parts: readonly Part[];
  private readonly lists = new SharedCatalog(MAX_AGE_MS);
  private readonly left = new AbortController();
  /** What a modern client asked to be told, and how it is told. */
  private stream: { readonly asked: Members; readonly notify: Notify } | undefined;

  /**
   * @param servers the servers, and what answers clients from each
   * @param client the client
   * @param port reaches the client outside of its requests
   * @param ended called when the client has gone
   */
  constructor(
    servers: readonly OneServerOfSeveral[],
    private readonly client: Client,
    private readonly port: ClientPort,
    private readonly ended: () => void,
  ) {
    this.servers = new Set(servers.map(({ slug }) => slug));
    this.parts = servers.map((server) => this.partWith(server));
  }

  private partWith({ slug, shared, isShared, backends, report }: OneServerOfSeveral): Part {
    const { client, left } = this;
    const port = portOf(slug, this.port);
    if (isShared || !client.lasts) return { member: shared, backend: backends.behind(client, port) };
    // When its process ends, the processes of other clients still answer.
    const again = () => backend.answer(ownCall(LISTS.tools.method, undefined));
    const member = new Member(slug, again, () => this.changed(), left.signal);
    const reported: UpstreamOptions['report'] = (event) => {
      member.happened(event);
      report?.(event);
    };
    const backend = backends.behind(client, { ...port, report: reported });
    return { member, backend };
  }

  get isEarly(): boolean {
    return this.parts.some(({ backend }) => backend.isEarly);
  }

  async leave(): Promise<void> {
    this.ended();
    this.left.abort();
    await Promise.all(this.parts.map(({ backend }) => backend.leave()));
  }

  /** Tells a client that is told of changes that the lists changed, because a server left them or is back. */
  changed(): void {
    const { client, port, stream } = this;
    for (const capability of CAPABILITIES) {
      const method = listChangedMethod(capability);
      if (client.era === 'legacy') port.tell(method, undefined);
      else if (read(stream?.asked, `${capability}ListChanged`) === true) stream?.notify(method, undefined);
    }
  }

  /** A connection that lasts keeps its lists: its client is told of changes. */
  listsFor(): SharedCatalog | undefined {
    return this.client.lasts ? this.lists : undefined;
  }

  notified(method: string, params: Params): void {
    if (method !== 'notifications/progress') {
      for (const { backend } of this.parts) backend.notified(method, params);
      return;
    }
    const found = inwardToken(params?.progressToken);
    this.partOf(found?.slug)?.backend.notified(method, { ...params, progressToken: found?.token });
  }

  async answer(call: ServerCall): Promise<AnswerOverHttp> {
    const { method } = call;
    const { parts, client } = this;
    if (method === METHODS.initialize || method === METHODS.discover)
      return introduce(parts, call, client.era);
    if (isList(method)) return listAll(parts, call, client.era);
    if (method === METHODS.listen) {
      const asked = membersOf(read(call.params, 'notifications'));
      this.stream = { asked, notify: call.notify };
      return listenToAll(parts, call, asked);
    }
    if (method === 'logging/setLevel') {
      const sent = { ...call, params: withoutToken(call.params) };
      await Promise.all(parts.map((part) => part.member.inTime(ask(part, sent))));
    } else if (method !== 'ping') return this.route(call);
    return { result: {} };
  }

  private partOf(slug: string | undefined): Part | undefined {
    return this.parts.find(({ member }) => member.slug === slug);
  }

  /** Sends a request to the server whose primitive it names. */
  private async route(call: ServerCall): Promise<AnswerOverHttp> {
    const { method, params } = call;
    const target = targetIn(method, params);
    if (target === undefined && nameIn(method, params) === undefined) return unknownMethod(method);
    const part = this.partOf(target?.slug);
    const own = part && target && (await this.ownName(part, target, call));
    if (part === undefined || target === undefined || own === undefined) return NOT_FOUND;
    const answer = await ask(part, { ...call, params: withName(params ?? {}, target, own) });
    const { slug } = part.member;
    if ('result' in answer) return { ...answer, result: renameResult(slug, answer.result) };
    const error = errorOf({ jsonrpc: '2.0', error: answer.error });
    return { ...answer, error: { ...error, message: `${slug}: ${error.message}` } };
  }

  /** Returns what the server calls what a request names; `undefined` if it has no such name. */
  private async ownName(
    { member }: Part,
    { path, full, isName, own }: ServerName,
    call: ServerCall,
  ): Promise<string | undefined> {
    if (!isName) return own;
    if (member.ownName(full) === undefined && isShortened(full)) {
      // Only the list tells what a shortened name stands for.
      const method = path[0] === 'name' ? 'tools/list' : 'prompts/list';
      await listAll(this.parts, { ...call, method, params: undefined }, this.client.era);
    }
    return member.ownName(full);
  }
}

const NOT_FOUND = refusal(ERRORS.invalidParams, 'Not found: no server of this endpoint has this name.');
