import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { MessageExtraInfo } from '@modelcontextprotocol/sdk/types.js';
import { nameIn } from '../../gate/table/routes.js';
import type { CallAnswer } from '../../wire/calls.js';
import {
  CAPABILITIES,
  type Capability,
  ERRORS,
  fromSdk,
  isRequest,
  LISTS,
  listChangedMethod,
  METHODS,
  type Message,
  type Notification,
  type Request,
  type RequestId,
  read,
  toSdk,
} from '../../wire/messages.js';
import { walkPages } from '../../wire/page-walker.js';
import type { UpstreamServer } from '../bridged-server.js';
import { type Params, refusal } from '../call.js';
import { LEGACY_VERSIONS, type Members } from '../eras/envelope.js';
import { Part } from '../several/part.js';

type Kind = keyof typeof LISTS;
const KINDS: readonly Kind[] = ['tools', 'prompts', 'resources', 'resourceTemplates'];

/** What a server said and listed when it was up last. */
export interface SavedCatalog {
  /** Its answer to `initialize`. */
  readonly about: Members;
  readonly lists: { readonly [K in Kind]?: readonly unknown[] };
}

/** Where the catalog of one server is kept. */
export interface CatalogKeeper {
  /** Returns the catalog; `undefined` if there is none that can be used. */
  read(): SavedCatalog | undefined;
  write(catalog: SavedCatalog): void;
}

/** Some servers register more primitives once they know the client. Milliseconds to wait after `initialized`. */
const QUIET_MS = 300;
const CHANGES: ReadonlySet<string> = new Set(CAPABILITIES.map(listChangedMethod));
const KIND_OF = new Map<string, Kind>(KINDS.map((kind) => [LISTS[kind].method, kind]));

/**
 * A server that answers before it has started: `initialize` and lists come from what it said when it was up last. Everything
 * else waits for it. When it is up, its lists are compared, and the client is told of those that differ.
 */
export class EarlyServer implements UpstreamServer {
  onclose?: (() => void) | undefined;
  private transport: Transport | undefined;
  private readonly part: Part<undefined>;
  private saved: SavedCatalog | undefined;
  /** Whether the client is answered from `saved`. */
  private isEarly: boolean;
  /** Resolves when the server is up and was compared, or cannot be started. */
  private checked: Promise<void> = Promise.resolve();
  private initialized = (): void => undefined;
  /** Requests that wait for that. */
  private readonly held = new Set<unknown>();
  private isLooking = false;

  constructor(
    // Not `server`: the gate would attach to what a wrapper has under this name, behind this one.
    private readonly inner: UpstreamServer,
    private readonly keeper: CatalogKeeper,
  ) {
    this.saved = keeper.read();
    this.isEarly = this.saved !== undefined;
    this.part = new Part(undefined, Promise.resolve(inner), (_part, message, about) =>
      this.told(message, about),
    );
  }

  get readers() {
    return this.inner.readers;
  }

  get refused() {
    return this.inner.refused;
  }

  get serverEra() {
    return this.inner.serverEra;
  }

  async connect(transport: Transport): Promise<void> {
    this.transport = transport;
    transport.onmessage = (message, extra) => this.receive(fromSdk(message), extra);
    transport.onclose = () => void this.close();
    this.part.connect(transport.sessionId);
    await transport.start();
  }

  async close(): Promise<void> {
    const { transport } = this;
    this.transport = undefined;
    if (transport === undefined) return;
    this.initialized();
    await this.part.close();
    this.onclose?.();
    await transport.close();
  }

  private receive(message: Message, extra: MessageExtraInfo | undefined): void {
    if (isRequest(message)) return void this.answer(message, extra);
    const method = 'method' in message ? message.method : undefined;
    const cancelled = method === METHODS.cancelled ? read(message, 'params', 'requestId') : undefined;
    if (this.held.delete(cancelled)) return;
    this.part.pass(message, extra);
    if (method === METHODS.initialized) this.initialized();
  }

  private async answer(request: Request, extra: MessageExtraInfo | undefined): Promise<void> {
    const { id, method, params } = request;
    // As from a server: not while the request is still being sent.
    await Promise.resolve();
    const { saved } = this;
    if (method === METHODS.initialize) {
      const asked = this.part.ask(method, params, id, extra);
      this.checked = this.check(asked);
      if (saved === undefined) return this.reply(id, await asked);
      const protocolVersion =
        LEGACY_VERSIONS.find((each) => each === params?.protocolVersion) ?? LEGACY_VERSIONS[0];
      return this.reply(id, { result: { ...saved.about, protocolVersion } });
    }
    if (!this.isEarly) return this.part.pass(request, extra);
    const kind = KIND_OF.get(method);
    if (kind !== undefined) return this.reply(id, { result: { [kind]: saved?.lists[kind] ?? [] } });
    this.held.add(id);
    await this.checked;
    if (!this.held.delete(id)) return;
    if (isSame(definitionIn(saved, method, params), definitionIn(this.saved, method, params)))
      return this.part.pass(request, extra);
    this.reply(id, refusal(ERRORS.invalidParams, CHANGED));
  }

  /** Waits for the server, and compares what it lists with what the client was told. */
  private async check(asked: Promise<CallAnswer>): Promise<void> {
    const initialized = new Promise<void>((resolve) => {
      this.initialized = resolve;
    });
    const answer = await asked;
    const { saved } = this;
    if ('error' in answer) {
      this.isEarly = false;
      if (saved !== undefined) this.announce(CAPABILITIES);
      return;
    }
    await initialized;
    await sleep(QUIET_MS);
    if (this.transport === undefined) return;
    const lists = await this.look(answer.result);
    this.isEarly = false;
    if (saved === undefined) return;
    const changed = KINDS.filter((kind) => !isSame(saved.lists[kind] ?? [], lists[kind] ?? []));
    this.announce(CAPABILITIES.filter((each) => changed.some((kind) => LISTS[kind].capability === each)));
  }

  /** Lists what the server has, and keeps it for the next start. */
  private async look(about: Members): Promise<SavedCatalog['lists']> {
    const lists: { [K in Kind]?: readonly unknown[] } = {};
    for (const kind of KINDS) {
      const { method, capability } = LISTS[kind];
      if (read(about.capabilities, capability) === undefined) continue;
      const items: unknown[] = [];
      const { end } = await walkPages(
        async (cursor) => {
          const answer = await this.part.ask(
            method,
            cursor === undefined ? {} : { cursor },
            'early',
            undefined,
          );
          return 'result' in answer ? answer.result : Promise.reject(new Error(answer.error.message));
        },
        {
          onPage: (page) => {
            const listed = page[kind];
            if (Array.isArray(listed)) items.push(...listed);
            return Array.isArray(listed) ? listed.length : 0;
          },
        },
      );
      if (end.kind === 'complete') lists[kind] = items;
    }
    const { serverInfo, capabilities, instructions } = about;
    const now = { about: { serverInfo, capabilities, instructions }, lists };
    if (!isSame(this.saved, now) && this.transport !== undefined) this.keeper.write(now);
    this.saved = now;
    return lists;
  }

  private told(message: Message, about: RequestId | undefined): void {
    if ('method' in message && CHANGES.has(message.method)) {
      // The comparison tells the client.
      if (this.isEarly) return;
      void this.lookAgain();
    }
    this.send(message, about);
  }

  private async lookAgain(): Promise<void> {
    if (this.isLooking || this.saved === undefined) return;
    this.isLooking = true;
    await sleep(QUIET_MS);
    this.isLooking = false;
    if (this.transport !== undefined) await this.look(this.saved.about);
  }

  private announce(capabilities: readonly Capability[]): void {
    for (const each of capabilities) {
      const changed: Notification = { jsonrpc: '2.0', method: listChangedMethod(each) };
      this.send(changed, undefined);
    }
  }

  private reply(id: RequestId, answer: CallAnswer): void {
    this.send({ jsonrpc: '2.0', id, ...answer }, undefined);
  }

  private send(message: Message, relatedRequestId: RequestId | undefined): void {
    const options = relatedRequestId === undefined ? undefined : { relatedRequestId };
    // A client that has disconnected does not need the message.
    this.transport?.send(toSdk(message), options).catch(() => undefined);
  }
}

const CHANGED =
  'What this names changed while its server started, and may not be what was listed. List again, and then send the request again.';

/** Returns the definition of the tool or prompt that a request names. */
function definitionIn(catalog: SavedCatalog | undefined, method: string, params: Params): unknown {
  const named = nameIn(method, params);
  if (named === undefined || named.type === 'uri') return undefined;
  const name = read(params, ...named.path);
  const listed = catalog?.lists[named.type === 'tool' ? 'tools' : 'prompts'] ?? [];
  return listed.find((each) => read(each, 'name') === name);
}

/** Whether two values have the same JSON text, in any order of members. */
const isSame = (one: unknown, other: unknown): boolean => isDeepStrictEqual(plainOf(one), plainOf(other));

const plainOf = (value: unknown): unknown =>
  value === undefined ? undefined : JSON.parse(JSON.stringify(value));
