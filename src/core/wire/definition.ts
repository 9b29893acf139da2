import type { NamedKind } from '../engine/servers/outside-names.js';
import { isMembers } from './messages.js';

/** Returns where a value is wrong, as a path; `undefined` if it is right. */
type Test = (value: unknown) => string | undefined;

const text: Test = (value) => (typeof value === 'string' ? undefined : '');
const flag: Test = (value) => (typeof value === 'boolean' ? undefined : '');
/** `1e999` is Infinity here, and would be sent as `null`. */
const number: Test = (value) => (Number.isFinite(value) ? undefined : '');
const share: Test = (value) => (typeof value === 'number' && value >= 0 && value <= 1 ? undefined : '');
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;
const time: Test = (value) => (typeof value === 'string' && TIME.test(value) ? undefined : '');
const anyObject: Test = (value) => (typeof value === 'object' && value !== null ? undefined : '');
const oneOf =
  (...all: readonly unknown[]): Test =>
  (value) =>
    all.includes(value) ? undefined : '';
const list =
  (test: Test): Test =>
  (value) => {
    if (!Array.isArray(value)) return '';
    for (const [at, each] of value.entries()) {
      const wrong = test(each);
      if (wrong !== undefined) return `/${at}${wrong}`;
    }
    return undefined;
  };
/** Members that must be there end with `!`. All others may be there, and may be anything. */
const members = (table: Readonly<Record<string, Test>>): Test => {
  const rows = Object.entries(table).map(
    ([name, test]) => [name.replace('!', ''), name.endsWith('!'), test] as const,
  );
  return (value) => {
    if (!isMembers(value)) return '';
    for (const [name, isNeeded, test] of rows) {
      const member = value[name];
      if (member === undefined && !isNeeded) continue;
      const wrong = test(member);
      if (wrong !== undefined) return `/${name}${wrong}`;
    }
    return undefined;
  };
};
const record =
  (test: Test): Test =>
  (value) => {
    if (!isMembers(value)) return '';
    for (const [name, each] of Object.entries(value)) {
      const wrong = test(each);
      if (wrong !== undefined) return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}${wrong}`;
    }
    return undefined;
  };
const anyMembers = members({});

const icons = list(
  members({ 'src!': text, mimeType: text, sizes: list(text), theme: oneOf('light', 'dark') }),
);
const schema = members({ 'type!': oneOf('object'), properties: record(anyObject), required: list(text) });
const audience = members({ audience: list(oneOf('user', 'assistant')), priority: share, lastModified: time });
const named = { 'name!': text, title: text, description: text, icons, _meta: anyMembers };
const hints = members({
  title: text,
  readOnlyHint: flag,
  destructiveHint: flag,
  idempotentHint: flag,
  openWorldHint: flag,
});

/** What clients of the SDKs accept of an entry of each list: one that they refuse costs a client the whole list. */
const ENTRIES: Readonly<Record<NamedKind, Test>> = {
  tools: members({
    ...named,
    'inputSchema!': schema,
    outputSchema: schema,
    annotations: hints,
    execution: members({ taskSupport: oneOf('required', 'optional', 'forbidden') }),
  }),
  prompts: members({
    ...named,
    arguments: list(members({ 'name!': text, description: text, required: flag })),
  }),
  resources: members({ ...named, 'uri!': text, mimeType: text, size: number, annotations: audience }),
  resourceTemplates: members({ ...named, 'uriTemplate!': text, mimeType: text, annotations: audience }),
  tasks: members({
    'taskId!': text,
    'status!': oneOf('working', 'input_required', 'completed', 'failed', 'cancelled'),
    // Infinity is sent as `null`, which is right here.
    'ttl!': (value) => (value === null || typeof value === 'number' ? undefined : ''),
    'createdAt!': text,
    'lastUpdatedAt!': text,
    pollInterval: number,
    statusMessage: text,
  }),
};

/**
 * Returns where an entry of a list does not fit the protocol (MCP 2025-11-25 and 2026-07-28, schema).
 *
 * @returns a JSON pointer; `undefined` if it fits
 * @example
 * misfitOf('tools', { name: 'a', inputSchema: {} }); // '/inputSchema/type'
 */
export const misfitOf = (kind: NamedKind, entry: unknown): string | undefined => ENTRIES[kind](entry);
