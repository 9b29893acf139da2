import { isMembers, type Members, read } from '../../wire/messages.js';
import { type JsonRewriting, rewriteJson } from '../../wire/rewrite-json.js';
import { SERVER_REQUESTS } from '../table/routes.js';
import {
  type Exceptions,
  exceptionsTo,
  isKeptInDefinition,
  isProtocolKey,
  isProtocolValue,
} from './exceptions.js';
import { DEFINITION, INTERFACES, OWN_KEYS, REQUEST } from './generated/exceptions.js';

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
    const text = (each: string, name: string | undefined): string | undefined => {
      if (isKeptInDefinition(member, name)) return each;
      const redacted = redact(each);
      return name !== undefined && VALUES.has(name) && redacted !== each ? undefined : redacted;
    };
    if (!INTERFACES.has(member)) return [key(member), rewriteJson(value, { text, key }, member)];
    const redacted = rewriteJson(value, { text }, member);
    return [member, redacted === value ? value : withoutEmptied(value, redacted)];
  });
}

/** The keywords of a schema whose texts are values: a part of one would be another value. */
const VALUES: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples']);

/**
 * Makes a schema valid again from which hidden values were removed: an `enum` without values says nothing, and a `default` must
 * be one of those that are left. A parameter that takes hidden values only, and need not be sent, is left out.
 */
function withoutEmptied(before: unknown, after: unknown): unknown {
  if (Array.isArray(after)) return after.map((each, at) => withoutEmptied(read(before, String(at)), each));
  if (!isMembers(after)) return after;
  const { enum: values, ...rest } = after;
  const kept: Members = Array.isArray(values) && values.length === 0 ? rest : { ...after };
  if (Array.isArray(kept.enum) && 'default' in kept && !kept.enum.includes(kept.default)) delete kept.default;
  const needed = Array.isArray(after.required) ? after.required : [];
  const members = Object.entries(kept).map(([name, each]): [string, unknown] => {
    const was = read(before, name);
    // An alternative that takes hidden values only would now take every value.
    if (ALTERNATIVES.has(name) && Array.isArray(each)) {
      const left = each.filter((schema, at) => !isEmptied(read(was, String(at)), schema));
      return [name, left.length === each.length ? withoutEmptied(was, each) : left];
    }
    if (name !== 'properties' || !isMembers(each)) return [name, withoutEmptied(was, each)];
    const properties = Object.entries(each).filter(
      ([parameter, schema]) => needed.includes(parameter) || !isEmptied(read(was, parameter), schema),
    );
    return [
      name,
      Object.fromEntries(properties.map(([p, schema]) => [p, withoutEmptied(read(was, p), schema)])),
    ];
  });
  return Object.fromEntries(
    members.filter(([name, each]) => !(Array.isArray(each) && each.length === 0 && ALTERNATIVES.has(name))),
  );
}

const ALTERNATIVES: ReadonlySet<string> = new Set(['oneOf', 'anyOf']);

const isEmptied = (before: unknown, after: unknown): boolean =>
  (read(before, 'const') !== undefined && read(after, 'const') === undefined) ||
  (Array.isArray(read(after, 'enum')) && (read(after, 'enum') as unknown[]).length === 0);

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
