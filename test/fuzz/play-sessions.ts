import { randomBytes } from 'node:crypto';
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import { createHandler } from '../../src/core/http/sdk-v1.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import type { SessionStore } from '../../src/core/session/store.js';
import { EXTENSION_ID } from '../../src/index.js';
import { type Area, type Reached, reach } from './areas.js';
import { FaultyStore } from './faulty-store.js';
import { type Fault, type Finding, NO_COUNTS, type Played } from './findings.js';
import { listFits } from './lists.js';
import type { Shelf } from './play.js';
import { Random } from './random.js';
import { FuzzServer, READINGS } from './server.js';
import { isAllowed, THINGS, VIEWS, type View } from './world.js';

const STEPS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;
const LISTS = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const;
const METHODS = { resourceTemplates: 'resources/templates/list' } as const;

/** A session of a host, and what it may prefer as far as the answers told. */
interface Session {
  readonly id: string;
  readonly caller: string | undefined;
  views: ReadonlySet<View>;
  ended: 'no' | 'maybe' | 'yes';
}

/** How an id is shown to the endpoint, and whether the endpoint may answer it. */
interface Shown {
  readonly id: string;
  readonly caller: string | undefined;
  readonly session?: Session;
  /** Whether the id lacks what is sealed into it, so that only the store knows the session. */
  readonly isCut?: true;
  /** The secret of the endpoint, if it is another one. */
  readonly sessionSecret?: string;
  readonly area?: Area;
}

/** An answer over HTTP. */
interface Got {
  readonly status: number;
  readonly text: string;
  readonly id: string | null;
  /** The calls to the store that failed meanwhile. */
  readonly failed: { readonly read: number; readonly write: number };
  /** Those that the observer of the request was told of. */
  readonly told: number;
  readonly server: FuzzServer;
}

/** Plays sessions over HTTP: hosts of several callers, a store that fails, and ids that the endpoint did not give. */
export async function playSessions(shelf: Shelf, seed: number): Promise<Played> {
  const random = new Random(seed);
  const counts = { ...NO_COUNTS };
  const findings: Finding[] = [];
  const reached: Reached = {};
  const { chosen, stranger } = twoOf(shelf, random);
  const { plan } = chosen;
  const note = (fault: Fault, method: string, what: string): void => {
    counts[fault]++;
    findings.push({ fault, method, seed, what: `${what} under ${JSON.stringify(plan, withMaps)}` });
  };
  const store = new FaultyStore(random, reached);
  let made: FuzzServer | undefined;
  const endpoint = (of: typeof chosen, kept: SessionStore) =>
    createHandler({
      server: () => {
        made = new FuzzServer(random, random.pick(READINGS), false, 0);
        return made;
      },
      policy: of.policy,
      store: kept,
    });
  const handle = endpoint(chosen, store);
  const sessions: Session[] = [];

  /** Sends one message, and reads the whole answer. */
  async function post(
    to: typeof handle,
    shown: Omit<Shown, 'area'>,
    message: object | undefined,
  ): Promise<Got> {
    counts.messages++;
    reach(reached, 'requests of a session');
    store.failed = { read: 0, write: 0 };
    const { failed } = store;
    const leaving = new AbortController();
    const request = new Request('http://localhost/mcp', {
      method: message === undefined ? 'DELETE' : 'POST',
      signal: leaving.signal,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(shown.id === '' ? {} : { 'mcp-session-id': shown.id }),
      },
      ...(message === undefined ? {} : { body: JSON.stringify(message) }),
    });
    let told = 0;
    made = undefined;
    let isOver = false;
    const answering = to(request, {
      ...authOf(shown.caller),
      sessionSecret: shown.sessionSecret,
      storeCall: ({ failed: why }) => {
        if (why !== undefined) told++;
      },
    })
      .then(async (response) => ({
        status: response.status,
        text: await response.text(),
        id: response.headers.get('mcp-session-id'),
      }))
      // A client that left gets nothing.
      .catch((cause) => ({ status: leaving.signal.aborted ? 0 : 500, text: String(cause), id: null }))
      .finally(() => {
        isOver = true;
      });
    for (let turn = 0; !isOver; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (turn % 8 !== 7) continue;
      if (random.chance(0.1)) leaving.abort();
      store.release();
    }
    const server = made ?? new FuzzServer(random, READINGS[0]);
    return { ...(await answering), failed, told, server };
  }

  async function initialize(to: typeof handle, caller: string | undefined): Promise<Session | undefined> {
    const level = random.pick<View>([undefined, 'low', 'high']);
    const concerns = level === undefined ? {} : { [EXTENSION_ID]: { concerns: { level } } };
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: { extensions: concerns },
      clientInfo: { name: 'fuzz', version: '1' },
    };
    const got = await post(to, { id: '', caller }, { jsonrpc: '2.0', id: 1, method: 'initialize', params });
    // A store that did not get the record does not know the session.
    const views = new Set<View>(got.failed.write > 0 ? [level, 'lost'] : [level]);
    return got.id === null ? undefined : { id: got.id, caller, views, ended: 'no' };
  }

  /** An id that this endpoint did not give to this caller, or not today, or shortened. */
  async function strangeId(own: Session | undefined): Promise<Shown> {
    const caller = own?.caller;
    const made = async (of: typeof chosen): Promise<string> =>
      (await initialize(endpoint(of, createMemoryStore()), caller))?.id ?? '';
    switch (random.below(7)) {
      case 0:
        return { id: await made(stranger), caller, area: 'sessions: ids of another policy' };
      case 1: {
        const { now } = Date;
        Date.now = () => now() - DAY_MS - 1000;
        const id = await made(chosen).finally(() => {
          Date.now = now;
        });
        return { id, caller, area: 'sessions: expired ids' };
      }
      case 2:
        if (own === undefined) break;
        return {
          id: own.id,
          caller: random.pick(CALLERS.filter((each) => each !== caller) as [string, ...string[]]),
          area: 'sessions: ids of another caller',
        };
      case 3:
        if (own === undefined) break;
        return {
          // The store may know what is left.
          id: own.id.slice(0, random.chance(0.3) ? 32 : 34 + random.below(own.id.length - 34)),
          caller,
          session: own,
          isCut: true,
          area: 'sessions: truncated ids',
        };
      case 4:
        if (own === undefined) break;
        return {
          id: `${randomBytes(16).toString('hex')}${own.id.slice(32)}`,
          caller,
          area: 'sessions: forged ids',
        };
      case 5:
        if (own === undefined) break;
        return {
          id: own.id,
          caller,
          session: own,
          isCut: true,
          sessionSecret: 'of another environment',
          area: 'sessions: under another secret',
        };
    }
    const sealed = random.chance(0.5) ? `.${randomBytes(60).toString('base64url')}` : '';
    return { id: `${randomBytes(16).toString('hex')}${sealed}`, caller, area: 'sessions: forged ids' };
  }

  function judge(shown: Shown, method: string, got: Got, list?: string): void {
    const { session } = shown;
    const { status, text, failed, told, server } = got;
    if (status === 0) return;
    const isResult = status === 200 && text.includes('"result"');
    const isGone = session === undefined || session.ended === 'yes';
    if (told < failed.read + failed.write) note('silent', method, `${text}: ${told} of ${failed.read}`);
    // Only a store that cannot be read lets the endpoint answer a session that it may not know.
    if (isGone && isResult && failed.read === 0 && method !== 'ping')
      note('leaks', method, `${shown.id}: ${text}`);
    // Without the store and the seal, the last known preferences of this very session hold, or nothing is known.
    const unknown: readonly View[] = ['lost', ...(session?.views ?? [])];
    const isUnknown = isGone || shown.isCut === true;
    const views = isUnknown && failed.read > 0 ? unknown : isGone ? VIEWS : [...session.views];
    if (list !== undefined && isResult) {
      if (failed.read > 0) {
        reach(reached, 'sessions: answered without the store');
        if (plan.mode === 'enforce') note('leaks', method, `without the store: ${text}`);
        if (!text.includes('store-unavailable')) note('silent', method, text);
      }
      const fits = views.some((view) => listFits({ things: THINGS, list, text }, plan, view));
      if (!fits) note('wrongLists', method, `${text} for ${views} with ${failed.read} failed reads`);
    } else {
      for (const thing of THINGS) {
        const isAllowedNow = views.some((view) => isAllowed(plan, thing, view));
        if (!isAllowedNow && (text.includes(thing.secret) || server.used.has(thing)))
          note('leaks', method, `${thing.identity} in ${text}`);
      }
    }
    if (status === 200 && method !== 'DELETE') {
      const answers = text.match(/"id":1\b/g)?.length ?? 0;
      if (answers === 0) note('unanswered', method, text);
      if (answers > 1) note('answeredTwice', method, text);
    }
    if (session?.ended === 'no' && !shown.isCut && failed.read + failed.write === 0 && status === 404)
      note('visibleBlocked', method, `${shown.id}: ${text}`);
  }

  for (let step = 0; step < STEPS; step++) {
    if (random.chance(0.2))
      store.faults = random.pick([
        { read: 0, write: 0 },
        { read: 0, write: 0 },
        { read: 1, write: 0 },
        { read: 0, write: 1 },
        { read: 0.5, write: 0.5 },
        { read: 1, write: 1 },
      ]);
    if (sessions.length === 0 || random.chance(0.1)) {
      const opened = await initialize(handle, random.pick(CALLERS));
      if (opened !== undefined) sessions.push(opened);
      continue;
    }
    const session = sessions[random.below(sessions.length)];
    const own: Shown = { id: session?.id ?? '', caller: session?.caller, ...(session ? { session } : {}) };
    const shown = random.chance(0.15) ? await strangeId(session) : own;
    reach(reached, shown.session?.ended === 'yes' ? 'sessions: ended ids' : shown.area);
    const ask = (method: string, params: object) =>
      post(handle, shown, { jsonrpc: '2.0', id: 1, method, params });
    const roll = random.next();
    if (roll < 0.45) {
      const list = random.pick(LISTS);
      const method = list === 'resourceTemplates' ? METHODS[list] : `${list}/list`;
      judge(shown, method, await ask(method, {}), list);
    } else if (roll < 0.7) {
      const thing = random.pick(TOOLS);
      judge(shown, 'tools/call', await ask('tools/call', { name: thing.identity, arguments: {} }));
    } else if (roll < 0.9) {
      const target = random.pick<View>([undefined, 'low', 'high']);
      const got = await ask('updateConcerns', { concerns: { level: target ?? null } });
      judge(shown, 'updateConcerns', got);
      if (shown.session !== undefined) noteUpdate(shown.session, target, got);
    } else if (roll < 0.95) {
      judge(shown, 'ping', await ask('ping', {}));
    } else {
      const got = await post(handle, shown, undefined);
      judge(shown, 'DELETE', got);
      if (shown.session !== undefined && shown.session.ended !== 'yes')
        shown.session.ended = got.status === 204 ? 'yes' : 'maybe';
    }
  }
  return { counts, findings, reached };
}

/** Chooses the policy of the endpoint, and one of another endpoint. */
function twoOf(shelf: Shelf, random: Random) {
  const chosen = shelf[random.below(shelf.length)];
  const stranger = shelf.find(({ policy }) => policy.digest !== chosen?.policy.digest);
  if (chosen === undefined || stranger === undefined) throw new RangeError('There are no two policies.');
  return { chosen, stranger };
}

/** What a session prefers after an update, as far as the answer tells. */
function noteUpdate(session: Session, target: View, { status, text, failed }: Got): void {
  if (status === 200 && text.includes('"result"')) session.views = new Set([target]);
  else if (status === 0 || text.includes('may or may not'))
    session.views = new Set([...session.views, target]);
  else if (failed.write > 0 && !text.includes('nothing changed'))
    session.views = new Set([...session.views, target]);
}

const CALLERS: readonly [string | undefined, ...(string | undefined)[]] = [undefined, 'ada', 'bob'];
const TOOLS = THINGS.filter(({ kind }) => kind === 'tools') as unknown as readonly [
  (typeof THINGS)[number],
  ...(typeof THINGS)[number][],
];

const authOf = (caller: string | undefined): { readonly authInfo?: AuthInfo } =>
  caller === undefined
    ? {}
    : { authInfo: { token: 't', clientId: 'c', scopes: [], extra: { iss: 'i', sub: caller } } };

const withMaps = (_key: string, value: unknown): unknown =>
  value instanceof Map ? Object.fromEntries(value) : value;
