import { type CallerData, callerFacts, clientNames } from '../../engine/caller-facts.js';
import { readsClient, readsClientName } from '../../engine/expression/expression.js';
import type { Policy } from '../../engine/policy.js';
import { ADDED_TOOLS } from '../../engine/preference-source.js';
import type { HostConcerns, SessionRead, SessionRecord, SessionStore } from '../../session/store.js';
import { type Era, read } from '../../wire/messages.js';
import { whenKnown } from '../../wire/serial-queue.js';

/** Where the preferences of a verified caller are kept, if the operator turned that on. */
export type PrincipalPreferences =
  | {
      readonly place: 'store';
      readonly store: SessionStore;
      readonly id: string;
      /** Whether the caller is one host of one person: then what its model sets lasts between its requests too. */
      readonly isHost?: true;
    }
  /** The caller is not verified, or its claims do not tell it from others. */
  | { readonly place: 'none' };

/** What is kept for the sender of a request. */
export interface StoredPreferences {
  readonly session: SessionRead;
  /** Of the verified caller: `unknown` if it was not read, `undefined` if nothing is kept for callers. */
  readonly principal: SessionRead | undefined;
  /** Whether a list is decided about without preferences that once were there. Under `enforce`, what is unknown counts as lost. */
  readonly areLost?: boolean;
}

/** A request, as far as it says whose preferences apply. */
export interface Sent {
  readonly era: Era;
  readonly connection: {
    readonly preferences: SessionPreferences;
    readonly principal: PrincipalPreferences | undefined;
  };
}

const UNKNOWN: SessionRead = { state: 'unknown' };
const NOTHING_KEPT: SessionRead = { state: 'live', record: {} };
const NOTHING_READ: StoredPreferences = { session: UNKNOWN, principal: undefined };
const NOBODY_READ: StoredPreferences = { session: UNKNOWN, principal: UNKNOWN };

/** What is known of a request before anything was read for it. */
export const nothingRead = ({ connection }: Pick<Sent, 'connection'>): StoredPreferences =>
  connection.principal?.place === 'store' ? NOBODY_READ : NOTHING_READ;

/** What is known of a request whose store cannot be read: what this process knew last. Its session id does not know a switch. */
export function unread({ connection }: Pick<Sent, 'connection'>): StoredPreferences {
  const { preferences } = connection;
  const known = preferences.place === 'store' ? preferences.known : undefined;
  return { ...nothingRead({ connection }), session: withKnown(UNKNOWN, known), areLost: true };
}

/**
 * Reads what is kept for the sender of a request: its session, which only the legacy era has, and its principal. What the model
 * of a modern host set is in the place of its session.
 *
 * @returns a promise only if a store must be waited for; it rejects if the store cannot be read
 */
export function readStored({ connection, era }: Sent): StoredPreferences | Promise<StoredPreferences> {
  const session = era === 'modern' ? UNKNOWN : readSession(connection.preferences);
  const principal = readPrincipal(connection.principal);
  if (principal !== undefined) {
    return Promise.all([session, principal]).then(([found, chosen]) => ({
      session: era === 'modern' && isOneHost(connection.principal) ? onlyModel(chosen) : found,
      principal: chosen,
    }));
  }
  return whenKnown(session, (found) => ({ session: found, principal: undefined }));
}

export const isOneHost = (principal: PrincipalPreferences | undefined): boolean =>
  principal?.place === 'store' && principal.isHost === true;

const onlyModel = (kept: SessionRead): SessionRead => {
  const { model } = recordOf(kept);
  return { state: 'live', record: model === undefined ? {} : { model } };
};

/**
 * Reads what is kept for the caller. A caller that never chose anything has an empty record: only what was not read is
 * `unknown`.
 *
 * @returns `undefined` if nothing is kept for this caller
 */
export function readPrincipal(principal: PrincipalPreferences | undefined): Promise<SessionRead> | undefined {
  if (principal?.place !== 'store') return undefined;
  const { store, id } = principal;
  return store.read(id).then((found) => (found.state === 'live' ? found : { state: 'live', record: {} }));
}

/** Returns what a store keeps, or nothing. */
export const recordOf = (kept: SessionRead | undefined): SessionRecord =>
  kept?.state === 'live' ? kept.record : {};

/** Returns whose preferences are the strongest of those that are kept: of this session, or of this caller. */
export const strongestPlace = ({ session, principal }: StoredPreferences): 'session' | 'principal' =>
  principal === undefined || recordOf(session).acted === true ? 'session' : 'principal';

/** Returns the preferences that are the strongest of those that are kept. */
export const strongestOf = (kept: StoredPreferences): HostConcerns =>
  recordOf(kept[strongestPlace(kept)]).concerns ?? {};

/** Returns what would be kept after a change of the given fields. */
export const withChange = (
  kept: StoredPreferences,
  place: 'session' | 'principal',
  change: SessionRecord,
): StoredPreferences => ({
  ...kept,
  [place]: { state: 'live', record: { ...recordOf(kept[place]), ...change } },
});

/** The concerns that a person decides about with a change. */
export type Decided = 'all' | readonly string[];

/**
 * Removes the values that a model has set from what a session keeps, for concerns that a person decides about. The tools that
 * it added go with any concern that is open to models.
 *
 * @param policy the policy
 * @param record what the session keeps
 * @param decided the concerns
 * @returns the values that stay, as the part of a record; empty if there is nothing to remove
 * @example
 * withoutModel(policy, { model: { topic: 'news', cost: 'low' } }, ['topic']); // { model: { cost: 'low' } }
 */
export function withoutModel(
  { concerns }: Policy,
  { model = {} }: SessionRecord,
  decided: Decided,
): Pick<SessionRecord, 'model'> {
  const isOpen = concerns.some((each) => each.model === 'free' && decided.includes(each.name));
  const isDecided = (name: string) => (name === ADDED_TOOLS ? isOpen : decided.includes(name));
  const kept = Object.entries(model).filter(([name]) => decided !== 'all' && !isDecided(name));
  return kept.length === Object.keys(model).length ? {} : { model: Object.fromEntries(kept) };
}

/** A session id, taken apart. */
export interface SessionId {
  /** Under which stores keep the session. */
  readonly key: string;
  /** What the host preferred at `initialize`; `undefined` if nothing is sealed, or if the seal is of another policy or caller. */
  readonly sealed?: SessionRecord | undefined;
  /** Whether the session is so old that its store may have forgotten what was written. */
  readonly isOld?: boolean | undefined;
  /** What this process knew last: unlike `sealed`, also what the host or a person chose since `initialize`. */
  readonly known?: SessionRecord | undefined;
}

/** Where the preferences of one connection are kept between its messages. */
export type SessionPreferences =
  /** In the connection, which lasts as long as the session: stdio, in memory, a transport kept per session. */
  | {
      readonly place: 'connection';
      readonly id?: string | undefined;
      record: SessionRecord;
      readonly sealed?: SessionRecord | undefined;
    }
  /** In a store, under the session's id: each request may reach another process. */
  | {
      readonly place: 'store';
      readonly store: SessionStore;
      readonly id: string;
      /** What this process knows without the store: what `initialize` said, or what was read last. */
      known?: SessionRecord | undefined;
      /** What the session id says of the time when it was made. A record that the store has says more. */
      readonly sealed?: SessionRecord | undefined;
    }
  /** Nowhere: HTTP without a session. */
  | { readonly place: 'none' };

/**
 * Chooses where the preferences of a connection are kept.
 *
 * @param store the store, if the operator configured one
 * @param session the session's id, if the transport has one
 * @param http whether the messages arrive in HTTP requests
 */
export function placePreferences(
  store: SessionStore | undefined,
  session: SessionId | undefined,
  http: boolean,
): SessionPreferences {
  const { key: id, sealed, known } = session ?? {};
  if (store !== undefined && id !== undefined) return { place: 'store', store, id, known, sealed };
  return http && id === undefined
    ? { place: 'none' }
    : { place: 'connection', id, record: sealed ?? {}, sealed };
}

/** Returns what is kept for the session; a promise only if it is in a store. */
export function readSession(preferences: SessionPreferences): SessionRead | Promise<SessionRead> {
  if (preferences.place === 'store') {
    return preferences.store.read(preferences.id).then((found) => {
      // A store that knows nothing of a session has forgotten it, and with it what its host chose since `initialize`. What the
      // id says of that host could show what it hid.
      if (found.state !== 'live') return found;
      const session = withKnown(found, preferences.known ?? preferences.sealed);
      preferences.known = recordOf(session);
      return session;
    });
  }
  return preferences.place === 'none' ? NOTHING_KEPT : { state: 'live', record: preferences.record };
}

/** Adds what is known to what the store has. */
function withKnown(found: SessionRead, known: SessionRecord | undefined): SessionRead {
  if (known === undefined || found.state === 'ended') return found;
  return { state: 'live', record: { ...known, ...recordOf(found) } };
}

/** Sets the given fields of what is kept for the session. Returns a promise only if it is in a store. */
export function updateSession(
  preferences: SessionPreferences,
  change: SessionRecord,
): 'stored' | 'ended' | 'nowhere' | Promise<'stored' | 'ended'> {
  if (preferences.place === 'store') {
    return preferences.store.update(preferences.id, change).then((outcome) => {
      if (outcome === 'stored')
        preferences.known = { ...(preferences.known ?? preferences.sealed), ...change };
      return outcome;
    });
  }
  if (preferences.place === 'none') return 'nowhere';
  preferences.record = { ...preferences.record, ...change };
  return 'stored';
}

/**
 * Returns what a session keeps of a client: only what the policy reads, because a client can send megabytes.
 *
 * @param policy the policy
 * @param params the params of `initialize`, as the client sent them
 */
export function keepClient(policy: Policy, params: unknown): SessionRecord {
  const clientPaths = policy.callerPaths.filter(readsClient);
  if (clientPaths.length === 0) return {};
  const capabilities = read(params, 'capabilities') ?? {};
  const { client } = callerFacts({ capabilities }, clientPaths);
  const clientInfo = clientNames(read(params, 'clientInfo'));
  return {
    ...(client === undefined ? {} : { clientCapabilities: client.capabilities }),
    ...(clientPaths.some(readsClientName) ? { clientInfo } : {}),
    clientPaths,
  };
}

/**
 * Returns what a session keeps of its client; nothing if it does not keep everything that the policy reads, because
 * another policy applied when the client connected.
 */
export function keptClient(
  { callerPaths }: Policy,
  { clientCapabilities, clientInfo, clientPaths }: SessionRecord,
): Pick<CallerData, 'capabilities' | 'client'> {
  const isKept = (path: string): boolean => !readsClient(path) || clientPaths?.includes(path) !== false;
  return callerPaths.every(isKept) ? { capabilities: clientCapabilities, client: clientInfo } : {};
}
