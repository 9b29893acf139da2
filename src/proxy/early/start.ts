import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { ExactNumber } from '../../core/exact-json.js';
import { nameIn } from '../../core/gate/table/routes.js';
import type { CallAnswer } from '../../core/wire/calls.js';
import {
  CAPABILITIES,
  type Capability,
  type Era,
  LISTS,
  METHODS,
  type Members,
  read,
} from '../../core/wire/messages.js';
import type { Params } from '../call.js';
import { LEGACY_VERSIONS, wrapResult } from '../eras/envelope.js';
import { listPages } from '../list-pages.js';

type Kind = keyof typeof LISTS;
const KINDS: readonly Kind[] = ['tools', 'prompts', 'resources', 'resourceTemplates'];
const KIND_OF = new Map<string, Kind>(KINDS.map((kind) => [LISTS[kind].method, kind]));

/** What a server said and listed when it was up last. */
export interface SavedCatalog {
  /** Its answer to `initialize` or `server/discover`. */
  readonly about: Members;
  readonly lists: { readonly [K in Kind]?: readonly unknown[] };
}

/** Where the catalog of one server is kept. */
export interface CatalogKeeper {
  /** Returns the catalog; `undefined` if there is none that can be used. */
  read(): SavedCatalog | undefined;
  write(catalog: SavedCatalog): void;
}

/** Asks a server for a page of a list. */
type AskForPage = (method: string, cursor: { readonly cursor?: string | number }) => Promise<CallAnswer>;

/** Some servers register more primitives once they know the client. Milliseconds to wait after `initialized`. */
const QUIET_MS = 300;

/** One start of a server, for one client or for all that share it: what they are answered before it is up, and what it lists. */
export class Start {
  /** Told which lists are not what they were said to be. */
  readonly clients: Set<(changed: Capability) => void> = new Set();
  /** Resolves when the server is up and was compared, or cannot be started. */
  checked: Promise<void> = Promise.resolve();
  /** Whether clients are answered with what the server listed when it was up last. */
  isEarly: boolean;
  private readonly before: SavedCatalog | undefined;
  private now: SavedCatalog | undefined;
  private ask: AskForPage | undefined;
  private isLooking = false;
  private hasEnded = false;

  /**
   * @param keeper has what the server listed when it was up last
   * @param era the era of the clients
   */
  constructor(
    private readonly keeper: CatalogKeeper,
    private readonly era: Era,
  ) {
    this.before = keeper.read();
    this.now = this.before;
    this.isEarly = this.before !== undefined;
  }

  /**
   * Waits for the server, and compares what it lists with what clients were told.
   *
   * @param ask asks it for a page of a list
   * @param introduced its answer to `initialize` or `server/discover`
   * @param ready resolves when it may be asked for its lists
   */
  begin(ask: AskForPage, introduced: Promise<CallAnswer>, ready?: Promise<void>): void {
    this.ask = ask;
    this.checked = this.check(ask, introduced, ready);
  }

  /** Nobody needs what the server lists any more. */
  end(): void {
    this.hasEnded = true;
  }

  /** Returns the answer to a request that needs no server. */
  answer(method: string, params: Params): CallAnswer | undefined {
    const { before } = this;
    if (!this.isEarly || before === undefined) return undefined;
    const requested = read(params, 'protocolVersion');
    if (method === METHODS.initialize) {
      const protocolVersion = LEGACY_VERSIONS.find((each) => each === requested) ?? LEGACY_VERSIONS[0];
      return { result: { ...before.about, protocolVersion } };
    }
    // It is valid until the server is up.
    if (method === METHODS.discover) return { result: { ...before.about, ttlMs: 0 } };
    const kind = KIND_OF.get(method);
    if (kind === undefined) return undefined;
    const result = { [kind]: before.lists[kind] ?? [] };
    return { result: this.era === 'modern' ? wrapResult(method, result, undefined) : result };
  }

  /** Whether the definition of what a request names is the one that clients were told. Only after `checked`. */
  isAsTold(method: string, params: Params): boolean {
    return isSame(definitionIn(this.before, method, params), definitionIn(this.now, method, params));
  }

  /** Must be called when the server has announced that a list changed: the next start answers with the new one. */
  async changed(): Promise<void> {
    const { ask, now } = this;
    if (this.isLooking || ask === undefined || now === undefined) return;
    this.isLooking = true;
    await sleep(QUIET_MS);
    this.isLooking = false;
    if (!this.hasEnded) await this.look(ask, now.about);
  }

  private async check(
    ask: AskForPage,
    introduced: Promise<CallAnswer>,
    ready: Promise<void> | undefined,
  ): Promise<void> {
    const answer = await introduced;
    const { before } = this;
    if ('error' in answer) {
      this.isEarly = false;
      if (before !== undefined) this.announce(KINDS);
      return;
    }
    await ready;
    await sleep(QUIET_MS);
    if (this.hasEnded) return;
    const { protocolVersion: _version, ...about } = answer.result;
    const lists = await this.look(ask, about);
    this.isEarly = false;
    if (before !== undefined)
      this.announce(KINDS.filter((kind) => !isSame(before.lists[kind] ?? [], lists[kind] ?? [])));
  }

  /** Lists what the server has, and keeps it for the next start. */
  private async look(ask: AskForPage, about: Members): Promise<SavedCatalog['lists']> {
    const lists: { [K in Kind]?: readonly unknown[] } = {};
    let isWhole = true;
    for (const kind of KINDS) {
      const { method, capability } = LISTS[kind];
      if (read(about.capabilities, capability) === undefined) continue;
      const { items, end } = await listPages(kind, (cursor) => ask(method, cursor));
      if (end.kind === 'complete') lists[kind] = items;
      else isWhole = false;
    }
    const before = this.now;
    this.now = { about, lists };
    // The lists of a server that ended meanwhile would be empty at the next start.
    if (isWhole && !this.hasEnded && !isSame(before, this.now)) this.keeper.write(this.now);
    return lists;
  }

  private announce(kinds: readonly Kind[]): void {
    const capabilities = CAPABILITIES.filter((each) => kinds.some((kind) => LISTS[kind].capability === each));
    for (const each of capabilities) for (const tell of this.clients) tell(each);
  }
}

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
  value === undefined ? undefined : JSON.parse(JSON.stringify(value, withTexts));

/** Writes a number that keeps its text as that text: JSON.parse would make the same of two of them. */
function withTexts(this: unknown, key: string, value: unknown): unknown {
  const given: unknown = Reflect.get(Object(this), key);
  return given instanceof ExactNumber ? `\u0000${given}` : value;
}
