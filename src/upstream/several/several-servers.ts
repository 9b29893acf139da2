import { isMinted } from '../../engine/servers/outside-names.js';
import { MAX_AGE_MS, SharedCatalog } from '../../gate/request/catalog-cache.js';
import { nameIn } from '../../gate/table/routes.js';
import { withName } from '../../gate/table/routing.js';
import { SlowReaders } from '../../http/streams/slow-readers.js';
import type { CallAnswer } from '../../wire/calls.js';
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
import type { Backend, Backends, Client, ClientPort } from '../backend.js';
import { type Notify, ownCall, type Params, type ServerCall, unknownMethod } from '../call.js';
import type { UpstreamOptions } from '../options.js';
import { withoutChallenge } from '../without-challenge.js';
import { introduce } from './introduce.js';
import { isList, listAll, listPart } from './list-all.js';
import { listenToAll } from './listen-to-all.js';
import { ListsOfOne } from './lists-of-one.js';
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
  private readonly announced = { count: 0 };
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
    this.parts = servers.map((server, at) => this.partWith(server, at));
  }

  private partWith({ slug, shared, isShared, backends, report }: OneServerOfSeveral, at: number): Part {
    const { client, left } = this;
    const lists: ListsOfOne = new ListsOfOne(
      (kind) => listPart(this.parts[at] as Part, ownCall(LISTS[kind].method, undefined), kind),
      this.announced,
      left.signal,
    );
    const port = portOf(slug, this.port, lists);
    if (isShared || !client.lasts) {
      const part: Part = { member: shared, lists, backend: backends.behind(client, port) };
      return part;
    }
    // When its process ends, the processes of other clients still answer.
    const again = () => part.backend.answer(ownCall(LISTS.tools.method, undefined));
    const member = new Member(slug, again, () => this.changed(), left.signal);
    const reported: UpstreamOptions['report'] = (event) => {
      member.happened(event);
      report?.(event);
    };
    const part: Part = { member, lists, backend: backends.behind(client, { ...port, report: reported }) };
    return part;
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
    for (const { lists } of this.parts) lists.forget();
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

  async answer(call: ServerCall): Promise<CallAnswer> {
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
  private async route(call: ServerCall): Promise<CallAnswer> {
    const { method, params } = call;
    const target = targetIn(method, params);
    if (target === undefined && nameIn(method, params) === undefined) return unknownMethod(method);
    const part = this.partOf(target?.slug);
    const own = part && target && (await this.ownName(part, target, call));
    if (part === undefined || target === undefined || own === undefined) return NOT_FOUND;
    // A host would log in to the endpoint with what one server demands.
    const answer = withoutChallenge(
      await ask(part, { ...call, params: withName(params ?? {}, target, own) }),
    );
    const { slug } = part.member;
    if ('result' in answer) return { result: renameResult(slug, answer.result) };
    const error = errorOf({ jsonrpc: '2.0', error: answer.error });
    return { error: { ...error, message: `${slug}: ${error.message}` } };
  }

  /** Returns what the server calls what a request names; `undefined` if it has no such name. */
  private async ownName(
    { member }: Part,
    { kind, outside }: ServerName,
    call: ServerCall,
  ): Promise<string | undefined> {
    const isNamed = kind === 'tools' || kind === 'prompts';
    if (isNamed && isMinted(outside) && member.ownName(kind, outside) === undefined)
      await listAll(this.parts, { ...call, method: LISTS[kind].method, params: undefined }, this.client.era);
    return member.ownName(kind, outside);
  }
}

const NOT_FOUND = refusal(ERRORS.invalidParams, 'Not found: no server of this endpoint has this name.');
