import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { nameIn } from '../../gate/table/routes.js';
import type { CallAnswer } from '../../wire/calls.js';
import {
  CAPABILITIES,
  type Capability,
  ERRORS,
  LISTS,
  listChangedMethod,
  METHODS,
  type Request,
  read,
} from '../../wire/messages.js';
import { walkPages } from '../../wire/page-walker.js';
import type { Backend, Backends, Client, ClientPort } from '../backend.js';
import { CANCELLED, type Notify, ownCall, type Params, refusal, type ServerCall } from '../call.js';
import { LEGACY_VERSIONS, type Members } from '../eras/envelope.js';
import type { AnswerOverHttp } from '../recovery.js';

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
export class EarlyServer implements Backend {
  private readonly inner: Backend;
  private saved: SavedCatalog | undefined;
  /** Whether the client is answered from `saved`. */
  private isEarly: boolean;
  /** Resolves when the server is up and was compared, or cannot be started. */
  private checked: Promise<void> = Promise.resolve();
  private initialized = (): void => undefined;
  private isLooking = false;
  private hasLeft = false;

  /**
   * @param backends make what answers when the server is up
   * @param client the client
   * @param port reaches it outside of its requests
   * @param keeper has what the server listed when it was up last
   */
  constructor(
    backends: Backends,
    client: Client,
    private readonly port: ClientPort,
    private readonly keeper: CatalogKeeper,
  ) {
    this.saved = keeper.read();
    this.isEarly = this.saved !== undefined;
    const tell: Notify = (method, params) => this.told(method, params);
    this.inner = backends.behind(client, { ...port, tell });
  }

  get readers() {
    return this.inner.readers;
  }

  get isLocal() {
    return this.inner.isLocal;
  }

  get serverEra() {
    return this.inner.serverEra;
  }

  get servers() {
    return this.inner.servers;
  }

  listsFor(request: Request) {
    return this.inner.listsFor(request);
  }

  async leave(): Promise<void> {
    this.hasLeft = true;
    this.initialized();
    await this.inner.leave();
  }

  notified(method: string, params: Params): void {
    this.inner.notified(method, params);
    if (method === METHODS.initialized) this.initialized();
  }

  async answer(call: ServerCall): Promise<AnswerOverHttp> {
    const { method, params, signal } = call;
    const { saved } = this;
    if (method === METHODS.initialize) {
      const asked = this.inner.answer(call);
      this.checked = this.check(asked);
      if (saved === undefined) return asked;
      const protocolVersion =
        LEGACY_VERSIONS.find((each) => each === params?.protocolVersion) ?? LEGACY_VERSIONS[0];
      return { result: { ...saved.about, protocolVersion } };
    }
    if (!this.isEarly) return this.inner.answer(call);
    const kind = KIND_OF.get(method);
    if (kind !== undefined) return { result: { [kind]: saved?.lists[kind] ?? [] } };
    await this.checked;
    if (signal.aborted) return CANCELLED;
    if (isSame(definitionIn(saved, method, params), definitionIn(this.saved, method, params)))
      return this.inner.answer(call);
    return refusal(ERRORS.invalidParams, CHANGED);
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
    if (this.hasLeft) return;
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
          const params = cursor === undefined ? {} : { cursor };
          const answer = await this.inner.answer(ownCall(method, params));
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
    if (!isSame(this.saved, now) && !this.hasLeft) this.keeper.write(now);
    this.saved = now;
    return lists;
  }

  private told(method: string, params: Params): void {
    if (CHANGES.has(method)) {
      // The comparison tells the client.
      if (this.isEarly) return;
      void this.lookAgain();
    }
    this.port.tell(method, params);
  }

  private async lookAgain(): Promise<void> {
    if (this.isLooking || this.saved === undefined) return;
    this.isLooking = true;
    await sleep(QUIET_MS);
    this.isLooking = false;
    if (!this.hasLeft) await this.look(this.saved.about);
  }

  private announce(capabilities: readonly Capability[]): void {
    for (const each of capabilities) this.port.tell(listChangedMethod(each), undefined);
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
