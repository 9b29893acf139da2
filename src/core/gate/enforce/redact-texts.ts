import { isMembers, type Members } from '../../wire/messages.js';
import { type JsonRewriting, rewriteJson } from '../../wire/rewrite-json.js';
import { SERVER_REQUESTS } from '../table/routes.js';
import {
  DEFINITION,
  type Exceptions,
  exceptionsTo,
  INTERFACES,
  isKeptInDefinition,
  isProtocolKey,
  isProtocolValue,
  OWN_KEYS,
  REQUEST,
} from './exceptions.js';
import { redactSchema } from './redact-schema.js';

/** Redacts one text. */
export type Redact = (text: string) => string;

/**
 * Redacts every text of an object of the protocol: a result, a task, the params of a notification. What the protocol itself
 * defines stays: member names, and values such as `"type": "text"`. A hidden tool may be named like one of them.
 *
 * @param members the object
 * @param redact redacts one text
 * @param exceptions the members that stay as they are
 * @example
 * redactMembers({ taskId: 't', statusMessage: 'secret' }, redact, exceptionsTo(task));
 */
export function redactMembers(members: Members, redact: Redact, exceptions: Exceptions): Members {
  return rewriteMembers(members, (name, value) => {
    if (exceptions.has(name)) return [name, value];
    const isKnown = isProtocolKey(name) || OWN_KEYS.has(name);
    return [isKnown ? name : redact(name), redactMember(name, value, redact)];
  });
}

/** Rewrites the members of an object. The same object if nothing changes. */
export function rewriteMembers<T extends object>(
  members: T,
  rewrite: (name: string, value: unknown) => readonly [string, unknown],
): T {
  const before = Object.entries(members);
  const after = before.map(([name, value]) => [...rewrite(name, value)]);
  const isSame = before.every(
    ([name, value], index) => after[index]?.[0] === name && after[index]?.[1] === value,
  );
  // An assignment to `__proto__` would set the prototype.
  return isSame ? members : Object.fromEntries(after);
}

function redactMember(name: string, value: unknown, redact: Redact): unknown {
  if (isMembers(value)) {
    // A call creates a task, and a task has an outcome.
    if (name === 'task' || name === 'result') return redactMembers(value, redact, exceptionsTo(value));
    if (name === 'error') return redactError(value, redact);
    // The client sends its answers under the same keys.
    if (name === 'inputRequests')
      return rewriteMembers(value, (key, each) => [key, redactAsked(each, redact)]);
  }
  // The members of structured content are those of the tool, and a log message has any data.
  if (name === 'structuredContent' || name === 'data') return rewriteJson(value, everything(redact));
  const text = (each: string, key: string | undefined) => (isProtocolValue(key, each) ? each : redact(each));
  return rewriteJson(value, { text, key: keyRedaction(redact) }, name);
}

/** Redacts a request for input as the request of the server that it stands for. */
function redactAsked(asked: unknown, redact: Redact): unknown {
  if (!isMembers(asked)) return rewriteJson(asked, everything(redact));
  return rewriteMembers(asked, (name, value) => {
    if (name === 'method' && typeof value === 'string' && SERVER_REQUESTS.has(value)) return [name, value];
    if (name === 'params' && isMembers(value)) return [name, redactMembers(value, redact, REQUEST)];
    return [isProtocolKey(name) ? name : redact(name), rewriteJson(value, everything(redact))];
  });
}

const keyRedaction = (redact: Redact) => (key: string) => (isProtocolKey(key) ? key : redact(key));

/**
 * Redacts the texts of a definition that a list contains. What a client must send as it is, or checks results against, stays.
 *
 * @param definition a tool, prompt, resource or resource template
 * @param redact redacts one text
 */
export function redactDefinition<T extends object>(definition: T, redact: Redact): T {
  const key = keyRedaction(redact);
  return rewriteMembers(definition, (member, value) => {
    if (DEFINITION.has(member)) return [member, value];
    const isKept = (name: string | undefined): boolean => isKeptInDefinition(member, name);
    const text = (each: string, name: string | undefined): string => (isKept(name) ? each : redact(each));
    if (!INTERFACES.has(member)) return [key(member), rewriteJson(value, { text, key }, member)];
    // The values of a schema can be objects with names, too.
    if (!isMembers(value)) return [member, rewriteJson(value, { text }, member)];
    const isSame = rewriteJson(value, { text, key: redact }) === value;
    return [member, isSame ? value : redactSchema(value, { redact, isKept })];
  });
}

const ERROR_KEYS: ReadonlySet<string> = new Set(['code', 'message', 'data']);

/**
 * Redacts every text of an error: its message, and its data, of which the protocol defines nothing. Only texts change, so it
 * stays an error.
 */
export const redactError = <E extends object>(error: E, redact: Redact): E =>
  rewriteMembers(error, (name, value) => [
    ERROR_KEYS.has(name) ? name : redact(name),
    rewriteJson(value, everything(redact)),
  ]);

const everything = (redact: Redact): JsonRewriting => ({ text: redact, key: redact });

/** Returns whether an object has texts that `redactMembers` reads. */
export function hasTexts(members: Members, exceptions: Exceptions): boolean {
  let isFound = false;
  const notice = (text: string): string => {
    isFound = true;
    return text;
  };
  redactMembers(members, notice, exceptions);
  return isFound;
}
