import type { Kind } from '../../core/engine/policy.js';
import { isMinted } from '../../core/engine/servers/outside-names.js';
import { MAX_AGE_MS, SharedCatalog } from '../../core/gate/request/catalog-cache.js';
import { nameIn } from '../../core/gate/table/routes.js';
import { withName } from '../../core/gate/table/routing.js';
import { SlowReaders } from '../../core/http/streams/slow-readers.js';
import type { CallAnswer } from '../../core/wire/calls.js';
import {
  CAPABILITIES,
  type Capability,
  ERRORS,
  errorOf,
  LISTS,
  listChangedMethod,
  METHODS,
  membersOf,
  read,
  refusal,
} from '../../core/wire/messages.js';
import type { Backend, Backends, Client, ClientPort } from '../backend.js';
import { ownCall, type Params, type ServerCall, unknownMethod } from '../call.js';
import type { UpstreamOptions } from '../options.js';
import { withoutChallenge } from '../without-challenge.js';
import { introduce } from './introduce.js';
import { isList, listAll, listPart } from './list-all.js';
import { listenToAll } from './listen-to-all.js';
import { type Announcements, type KeepListed, ListsOfOne } from './lists-of-one.js';
import { Member } from './member.js';
import { ask, type Part, withoutToken } from './part.js';
import { renameResult, type ServerName, targetIn } from './rename.js';
import { inwardToken, Told } from './told.js';

/** One of several servers, and what its clients share. */
interface OneServerOfSeveral {
  readonly slug: string;
  /** What clients share of it that have no process of their own. */
  readonly shared: Member;
  readonly isShared: boolean;
  /** Whether it gets headers of each client, so that clients share nothing of it. */
  readonly isForwarding: boolean;
  readonly backends: Backends;
  readonly report: UpstreamOptions['report'];
  readonly sayLeftOut: Part['sayLeftOut'];
}

/** Several servers as one: the gate in front of it does not know. Each request goes to the server whose name it has. */
export class SeveralServers implements Backend {
  readonly readers: SlowReaders = new SlowReaders({
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
  private readonly announcements: Announcements = new Map();
  /** What a modern client asked to be told, and how it is told. */
  private readonly streams = new Set<ServerCall>();

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

  private partWith(server: OneServerOfSeveral): Part {
    const { slug, shared, isShared, isForwarding, backends, report, sayLeftOut } = server;
    const { client, left, announcements } = this;
    const list = (kind: Kind, keep: KeepListed) =>
      listPart(part, ownCall(LISTS[kind].method, undefined), kind, keep);
    const announce = (capability: Capability) => this.announce(capability);
    const lists = new ListsOfOne(list, announcements, announce, left.signal);
    const told = new Told(
      slug,
      (capability) => lists.announced(capability),
      (leftOut) => report?.({ upstream: slug, leftOut }),
    );
    const port = told.port(this.port);
    const isOfAll = !isForwarding && (isShared || !client.lasts);
    // When its process ends, the processes of other clients still answer.
    const again = () => part.backend.answer(ownCall(LISTS.tools.method, undefined));
    const member = isOfAll
      ? shared
      : new Member(slug, again, (isAnother) => this.changed(slug, isAnother), left.signal, shared.patienceMs);
    const reported: UpstreamOptions['report'] = (event) => {
      member.happened(event);
      report?.(event);
    };
    const backend = backends.behind(client, isOfAll ? port : { ...port, report: reported });
    const part: Part = { member, backend, lists, told, sayLeftOut };
    return part;
  }

  get isEarly(): boolean {
    return this.parts.some(({ backend }) => backend.isEarly);
  }

  async leave(): Promise<void> {
    this.ended();
    this.left.abort();
    for (const { lists, told } of this.parts) {
      lists.stop();
      told.stop();
    }
    await Promise.all(this.parts.map(({ backend }) => backend.leave()));
  }

  /**
   * Tells a client that is told of changes that the lists changed, because a server left them or is back. The lists of the others
   * are at hand for what the client asks then.
   *
   * @param slug the server
   * @param isAnother whether it may list something else since
   */
  changed(slug: string, isAnother: boolean): void {
    if (isAnother) this.partOf(slug)?.lists.forget();
    for (const capability of CAPABILITIES) {
      this.announcements.set(capability, (this.announcements.get(capability) ?? 0) + 1);
      this.announce(capability);
    }
  }

  /** Tells the client that the lists of a capability changed, if it wants to know. */
  private announce(capability: Capability): void {
    const { client, port, streams } = this;
    const method = listChangedMethod(capability);
    if (client.era === 'legacy') return port.tell(method, undefined);
    for (const { params, notify } of streams)
      if (read(params, 'notifications', `${capability}ListChanged`) === true) notify(method, undefined);
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
      this.streams.add(call);
      return listenToAll(parts, call, asked).finally(() => this.streams.delete(call));
    }
    if (method === 'logging/setLevel') {
      const sent = { ...call, params: withoutToken(call.params) };
      await Promise.all(parts.map((part) => part.member.answerInTime(ask(part, sent))));
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
    part: Part,
    { kind, outside }: ServerName,
    call: ServerCall,
  ): Promise<string | undefined> {
    const { member } = part;
    const isNamed = kind === 'tools' || kind === 'prompts';
    if (isNamed && isMinted(outside) && member.ownName(kind, outside) === undefined)
      await listPart(part, { ...call, method: LISTS[kind].method, params: undefined }, kind);
    return member.ownName(kind, outside);
  }
}

const NOT_FOUND = refusal(ERRORS.invalidParams, 'Not found: no server of this endpoint has this name.');
