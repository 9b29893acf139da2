import { once } from '../once.js';
import { scopesOf, type Verified } from './claims.js';
import { isObject, readOwn, readPath } from './expression/evaluate.js';

/** What is known about a caller, as it was sent. */
export interface CallerData extends Verified {
  /** The client's declared capabilities; `undefined` if they are not known. */
  readonly capabilities?: unknown;
  /** How the client names itself, its `clientInfo`; `undefined` if it is not known. */
  readonly client?: unknown;
  /** The era of the protocol that the request belongs to; `undefined` if it is not known. */
  readonly era?: 'legacy' | 'modern' | undefined;
}

/** JSON, in objects without prototypes. */
type Facts = Record<string, unknown>;

/** The part of a caller's data that a policy reads. What it does not read, or what is not known, is missing. */
export type CallerFacts = { readonly claims: Facts } & {
  readonly [R in 'caller' | 'client' | 'protocol']?: Facts;
};

/**
 * Projects what is known about a caller onto the paths that rules read. Rules read only this projection, and a
 * configuration's key contains its JSON: if two keys are equal, the rules read the same.
 *
 * - A path without a value has no fact. This differs from `null`, and from a client whose capabilities are not known.
 * - Names of claims and extensions contain dots, for example `io.modelcontextprotocol/tasks`, and paths are split at
 *   dots. A fact is therefore nested: one object per part of its path. Nested names are stronger than names with dots.
 * - An object becomes an empty object, because a rule can only test whether it is there. Its members are facts of their
 *   own paths. A text or list of the client that is longer than 4,096 characters of JSON becomes an empty object too, so
 *   that a client cannot fill the memory.
 *
 * @param data what is known about the caller
 * @param paths the paths to read, see `Policy.callerPaths`; each comes after its own beginnings, as sorting places it
 * @returns the facts; it takes time in proportion to the paths, and not to the size of the data
 * @example
 * callerFacts({ claims: new Map([['team', 'red'], ['name', 'Ann']]) }, ['claims.team']); // { claims: { team: 'red' } }
 */
export function callerFacts(data: CallerData, paths: readonly string[]): CallerFacts {
  const { claims, era } = data;
  // Most policies read neither of these.
  const caller = once(() => ({ scopes: scopesOf(data) }));
  const client = once(() => ({ ...clientNames(data.client), capabilities: data.capabilities }));
  const known = {
    claims,
    get caller() {
      return caller();
    },
    get client() {
      return client();
    },
    protocol: { era },
  };
  const facts: CallerFacts = { claims: emptyFacts() };
  for (const path of paths) {
    const names = path.split('.');
    const isClient = names[0] === 'client';
    // That the capabilities are known is a fact, also if the one that is read is not among them.
    for (const part of isClient ? [names.slice(0, 2), names] : [names]) {
      place(facts, part, toFact(valueAt(known, part, 0), isClient ? CLIENT_LIMIT : NO_LIMIT));
    }
  }
  return facts;
}

/**
 * Reads how a client names itself.
 *
 * @param client its `clientInfo`, as it was sent
 * @returns its name, title and version, as far as they are texts of at most 256 characters; empty if it has no such name
 * @example
 * clientNames({ name: 'cursor', version: '1.7', icons: [] }); // { name: 'cursor', version: '1.7' }
 */
export function clientNames(client: unknown): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const key of ['name', 'title', 'version']) {
    const text = readOwn(client, key);
    if (typeof text === 'string' && text !== '' && text.length <= NAME_LIMIT) texts[key] = text;
    else if (key === 'name') break;
  }
  return texts;
}

/** In characters of JSON. No capability of the specification is a text or a list. */
const CLIENT_LIMIT = 4096;
/** In characters. */
const NAME_LIMIT = 256;
const NO_LIMIT = Number.POSITIVE_INFINITY;

const emptyFacts = (): Facts => Object.create(null);

/** @returns the value at the names from `from` on, where a name of the data can be several of them; `undefined` if none */
function valueAt(data: unknown, names: readonly string[], from: number): unknown {
  if (from === names.length) return data;
  // Only objects have names with dots.
  if (!isObject(data)) return readPath(data, names.slice(from).join('.'));
  let name = '';
  for (let to = from; to < names.length; to++) {
    name = to === from ? (names[to] ?? '') : `${name}.${names[to]}`;
    const found = data instanceof Map ? data.get(name) : readOwn(data, name);
    if (found === undefined) continue;
    const value = valueAt(found, names, to + 1);
    if (value !== undefined || !isObject(found)) return value;
  }
  return undefined;
}

/** Places a fact at its path. A root alone is not a fact. */
function place(facts: Facts, names: readonly string[], fact: unknown): void {
  const last = names.at(-1);
  if (fact === undefined || last === undefined || names.length === 1) return;
  let at = facts;
  for (const name of names.slice(0, -1)) {
    if (!Object.hasOwn(at, name)) at[name] = emptyFacts();
    const next = at[name];
    // A list or a text is a fact as a whole, so what is in it can be read from it.
    if (!isObject(next)) return;
    at = next;
  }
  if (!Object.hasOwn(at, last)) at[last] = fact;
}

/** @returns the value as JSON keeps it; `undefined` if JSON has no such value */
function toFact(value: unknown, limit: number): unknown {
  if (isObject(value)) return emptyFacts();
  if (typeof value === 'string') return value.length > limit ? emptyFacts() : value;
  if (typeof value === 'bigint') return undefined;
  try {
    const text = JSON.stringify(value);
    if (text === undefined) return undefined;
    return text.length > limit ? emptyFacts() : JSON.parse(text);
  } catch {
    // Nested too deeply, or not JSON.
    return emptyFacts();
  }
}
