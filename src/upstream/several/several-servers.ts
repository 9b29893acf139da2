import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { MessageExtraInfo } from '@modelcontextprotocol/sdk/types.js';
import { nameIn } from '../../gate/table/routes.js';
import { SlowReaders } from '../../http/streams/slow-readers.js';
import type { CallAnswer } from '../../wire/calls.js';
import {
  CAPABILITIES,
  type Capability,
  ERRORS,
  type Era,
  errorOf,
  fromSdk,
  isRequest,
  isResponse,
  LISTS,
  listChangedMethod,
  type Request as McpRequest,
  METHODS,
  type Message,
  type RequestId,
  read,
  SERVER_META,
  toSdk,
} from '../../wire/messages.js';
import { isShortened, split } from '../../wire/server-names.js';
import type { UpstreamServer } from '../bridged-server.js';
import { CANCELLED, refusal, unknownMethod } from '../call.js';
import { type Members, membersOf, wrapParams } from '../eras/envelope.js';
import { NOBODY } from '../eras/era.js';
import type { HttpRefusal } from '../upstream-error.js';
import { inwardId, outwardId } from './ids.js';
import { introduce } from './introduce.js';
import { isList, listAll } from './list-all.js';
import type { Member } from './member.js';
import { Part } from './part.js';
import { renameResult, type Target, targetIn, withValue } from './rename.js';

/** Several servers as one: the gate in front of it does not know. Each request goes to the server whose name it has. */
export class SeveralServers implements UpstreamServer {
  onclose?: (() => void) | undefined;
  readonly readers = new SlowReaders({ pause: () => this.slow(true), resume: () => this.slow(false) });
  refused: HttpRefusal | undefined = undefined;
  /** Each server has its own. */
  readonly serverEra = undefined;
  readonly servers: ReadonlySet<string>;
  private readonly parts: readonly Part[];
  private transport: Transport | undefined;
  /** What a modern client asked to be told, and in which request. */
  private stream: { readonly id: RequestId; readonly asked: Members } | undefined;
  /** The requests of the client without an answer, and which server answers those that name one. */
  private readonly running = new Map<unknown, Part | undefined>();

  /**
   * @param era the era of the client
   * @param servers the servers, and their sides of this client's connection
   * @param ended called when the connection has ended
   */
  constructor(
    private readonly era: Era,
    servers: readonly { readonly member: Member; readonly server: Promise<UpstreamServer> }[],
    private readonly ended?: () => void,
  ) {
    const told = (part: Part, message: Message, about: RequestId | undefined) =>
      this.told(part, message, about);
    this.servers = new Set(servers.map(({ member }) => member.slug));
    this.parts = servers.map(({ member, server }) => new Part(member, server, told));
  }

  async connect(transport: Transport): Promise<void> {
    this.transport = transport;
    transport.onmessage = (message, extra) => this.receive(fromSdk(message), extra);
    transport.onclose = () => void this.close();
    for (const part of this.parts) part.connect(transport.sessionId);
    await transport.start();
  }

  async close(): Promise<void> {
    const { transport } = this;
    if (transport === undefined) return;
    this.transport = undefined;
    await Promise.all(this.parts.map((part) => part.close()));
    this.ended?.();
    this.onclose?.();
    await transport.close();
  }

  /** Tells a client that is told of changes that a list changed, because a server arrived that was missing from it. */
  changed(capability: Capability): void {
    const { era, stream } = this;
    const isTold = era === 'legacy' || read(stream?.asked, `${capability}ListChanged`) === true;
    if (isTold) this.send({ jsonrpc: '2.0', method: listChangedMethod(capability) }, stream?.id);
  }

  private slow(isPaused: boolean): void {
    for (const part of this.parts) void part.slow(isPaused).catch(ignore);
  }

  private receive(message: Message, extra: MessageExtraInfo | undefined): void {
    if (isRequest(message)) return void this.answer(message, extra);
    const found = isResponse(message) ? inwardId(message.id) : undefined;
    if (isResponse(message)) {
      const asking = this.parts.find(({ member }) => member.slug === found?.slug);
      if (found !== undefined) asking?.pass({ ...message, id: found.id }, extra);
      return;
    }
    const { method, params } = message;
    if (method === METHODS.cancelled) {
      const id = params?.requestId;
      this.running.get(id)?.pass(message, extra);
      this.running.delete(id);
      for (const part of this.parts) part.cancel(id, params?.reason);
      return;
    }
    if (method !== 'notifications/progress') {
      for (const part of this.parts) part.pass(message, extra);
      return;
    }
    const token = inwardId(params?.progressToken);
    const waiting = this.parts.find(({ member }) => member.slug === token?.slug);
    waiting?.pass({ ...message, params: { ...params, progressToken: token?.id } }, extra);
  }

  private async answer(request: McpRequest, extra: MessageExtraInfo | undefined): Promise<void> {
    const { id, method } = request;
    const { parts, era } = this;
    this.running.set(id, undefined);
    if (method === METHODS.initialize || method === METHODS.discover)
      return this.reply(id, await introduce(parts, request, era, extra));
    if (isList(method)) return this.reply(id, await listAll(parts, request, era, extra));
    if (method === 'ping') return this.reply(id, { result: {} });
    if (method === METHODS.listen) return this.listen(request, extra);
    if (method !== 'logging/setLevel') return this.route(request, extra);
    const asked = parts.map((part) => part.member.inTime(part.ask(method, request.params, id, extra)));
    await Promise.all(asked);
    this.reply(id, { result: {} });
  }

  /** Asks one of the servers something, which opens it on this connection. */
  async again(slug: string): Promise<CallAnswer> {
    const part = this.parts.find(({ member }) => member.slug === slug);
    const params = this.era === 'modern' ? wrapParams(undefined, NOBODY) : undefined;
    return part?.ask(LISTS.tools.method, params, 'again', undefined) ?? CANCELLED;
  }

  /** Tells a modern client what changes on all servers, until it leaves. */
  private listen({ id, method, params }: McpRequest, extra: MessageExtraInfo | undefined): void {
    const asked = membersOf(read(params, 'notifications'));
    this.stream = { id, asked };
    const uris = Array.isArray(asked.resourceSubscriptions) ? asked.resourceSubscriptions.map(String) : [];
    const known: string[] = [];
    for (const part of this.parts) {
      const { slug } = part.member;
      const theirs = uris.filter((uri) => split(uri, '+')?.slug === slug);
      known.push(...theirs);
      const own = theirs.flatMap((uri) => split(uri, '+')?.own ?? []);
      const notifications = { ...asked, resourceSubscriptions: own };
      void part.ask(method, { ...params, notifications }, id, extra);
    }
    const lists = CAPABILITIES.map((each) => `${each}ListChanged`).filter((each) => asked[each] === true);
    const resources = known.length === 0 ? {} : { resourceSubscriptions: known };
    const notifications = { ...Object.fromEntries(lists.map((each) => [each, true])), ...resources };
    this.send({ jsonrpc: '2.0', method: METHODS.acknowledged, params: { notifications } }, id);
  }

  /** Sends a request to the server whose primitive it names. Ids and progress tokens stay: there is one answer. */
  private async route(request: McpRequest, extra: MessageExtraInfo | undefined): Promise<void> {
    const { id, method } = request;
    const target = targetIn(method, request.params);
    const part = this.parts.find(({ member }) => member.slug === target?.slug);
    const own = part && target && (await this.ownName(part, target, request, extra));
    if (target === undefined && nameIn(method, request.params) === undefined)
      return this.reply(id, unknownMethod(method));
    if (part === undefined || own === undefined) return this.reply(id, NOT_FOUND);
    this.running.set(id, part);
    part.pass({ ...request, params: membersOf(withValue(request.params, target?.path ?? [], own)) }, extra);
  }

  /** Returns what the server calls what a request names; `undefined` if it has no such name. */
  private async ownName(
    { member }: Part,
    { path, full, isName, own }: Target,
    { id }: McpRequest,
    extra: MessageExtraInfo | undefined,
  ): Promise<string | undefined> {
    if (!isName) return own;
    if (member.ownName(full) === undefined && isShortened(full)) {
      // Only the list tells what a shortened name stands for.
      const method = path[0] === 'name' ? 'tools/list' : 'prompts/list';
      await listAll(this.parts, { jsonrpc: '2.0', id, method }, this.era, extra);
    }
    return member.ownName(full);
  }

  private told(part: Part, message: Message, about: RequestId | undefined): void {
    const { slug } = part.member;
    if (isRequest(message)) {
      const params = saidBy(slug, outwardToken(slug, membersOf(message.params)));
      return this.send({ ...message, id: outwardId(slug, message.id), params }, about);
    }
    if (isResponse(message)) return void this.answered(part, message);
    const { method, params } = message;
    if (method === METHODS.acknowledged) return;
    if (params === undefined) return this.send(message, about);
    const logger = typeof params.logger === 'string' ? `${slug}/${params.logger}` : slug;
    const named =
      method === METHODS.cancelled
        ? { ...params, requestId: outwardId(slug, params.requestId) }
        : method === 'notifications/message'
          ? { ...params, logger }
          : renameResult(slug, params);
    this.send({ ...message, params: saidBy(slug, named) }, about);
  }

  private async answered(
    part: Part,
    response: Extract<Message, { result: unknown } | { error: unknown }>,
  ): Promise<void> {
    const { id } = response;
    // Only the server that was asked answers.
    if (id === undefined || id === null || this.running.get(id) !== part) return;
    this.running.set(id, undefined);
    this.refused = await part.refused();
    const { slug } = part.member;
    if ('result' in response) return this.reply(id, { result: renameResult(slug, response.result) });
    const error = errorOf(response);
    this.reply(id, { error: { ...error, message: `${slug}: ${error.message}` } });
  }

  private reply(id: RequestId, answer: CallAnswer): void {
    // Nobody waits for the answer to a request that was cancelled.
    if (this.running.delete(id)) this.send({ jsonrpc: '2.0', id, ...answer });
  }

  private send(message: Message, relatedRequestId?: RequestId): void {
    const options = relatedRequestId === undefined ? undefined : { relatedRequestId };
    // A client that has disconnected does not need the message.
    this.transport?.send(toSdk(message), options).catch(ignore);
  }
}

const NOT_FOUND = refusal(ERRORS.invalidParams, 'Not found: no server of this endpoint has this name.');

const ignore = (): void => undefined;

/** Says which server a message is from, because it knows only its own names. */
const saidBy = (slug: string, params: Members): Members => ({
  ...params,
  _meta: { ...membersOf(params._meta), [SERVER_META]: slug },
});

/** Two servers may choose the same progress token for their questions. */
function outwardToken(slug: string, params: Members): Members {
  const token = read(params, '_meta', 'progressToken');
  if (token === undefined) return params;
  return { ...params, _meta: { ...membersOf(params._meta), progressToken: outwardId(slug, token) } };
}
