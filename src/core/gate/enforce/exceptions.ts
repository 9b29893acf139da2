import {
  LEFT_OUT_META,
  OWN_META,
  SERVER_META,
  UNAVAILABLE_META,
} from '../../engine/servers/outside-names.js';
import { EXTENSION_ID } from '../../wire/messages.js';
import { entriesOf } from '../table/routes.js';
import { CONTENT, PROTOCOL_KEYS, PROTOCOL_VALUES, VALUES_OF_DEFINITIONS } from './generated/exceptions.js';

/**
 * The members of a message for the client whose texts stay as the server wrote them. Every text of any other member is
 * redacted under `enforce`, also of members that the protocol does not have yet. `exceptions.yaml` has all of them.
 */
export type Exceptions = ReadonlySet<string>;

/** Of an error, of a failed result, and of the answer to a request whose name was replaced. */
export const NOTHING: Exceptions = new Set();

/** Of a list, and of a task: their `_meta` is not content of a visible primitive, and can have errors of any server. */
const WITHOUT_META: Exceptions = new Set([...CONTENT].filter((name) => name !== '_meta'));

/**
 * Returns what stays of a result.
 *
 * @param result the result of a request, or of a task
 * @param method the method of the request. Its lists of entries contain visible ones only.
 */
export function exceptionsTo(result: object, method?: string): Exceptions {
  if ('isError' in result && result.isError === true) return NOTHING;
  const entries = method === undefined ? [] : entriesOf(method).flatMap(([member = '']) => member);
  if (entries.length > 0) return new Set([...WITHOUT_META, ...entries]);
  return 'taskId' in result && 'status' in result ? WITHOUT_META : CONTENT;
}

const mapValues = <From, To>(map: ReadonlyMap<string, From>, convert: (value: From) => To) =>
  new Map([...map].map(([name, value]) => [name, convert(value)]));

const KEPT = mapValues(VALUES_OF_DEFINITIONS, (names) => new Set(names.split(' ')));

/** Returns whether a text stays in a member of a definition, by the member name of the text. */
export const isKeptInDefinition = (member: string, name: string | undefined): boolean =>
  name !== undefined && KEPT.get(member)?.has(name) === true;

const PATTERNS = mapValues(PROTOCOL_VALUES, (pattern) => new RegExp(pattern));

/** Returns whether the protocol defines a value, by its member name. */
export const isProtocolValue = (key: string | undefined, text: string): boolean =>
  key !== undefined && PATTERNS.get(key)?.test(text) === true;

/** What this package writes into `_meta`. Of several servers, one could name a hidden tool like a part of these. */
const OWN_META_KEYS: ReadonlySet<string> = new Set([
  EXTENSION_ID,
  LEFT_OUT_META,
  OWN_META,
  SERVER_META,
  UNAVAILABLE_META,
]);

/** Returns whether the protocol or this package defines a member name. The prefix is that of the protocol's members of `_meta`. */
export const isProtocolKey = (key: string): boolean =>
  PROTOCOL_KEYS.has(key) || OWN_META_KEYS.has(key) || key.startsWith('io.modelcontextprotocol/');
