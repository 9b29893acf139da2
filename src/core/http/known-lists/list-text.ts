import QuickLRU from 'quick-lru';
import { KINDS } from '../../engine/policy.js';
import { getOrMake, once } from '../../once.js';
import { type Message, read } from '../../wire/messages.js';
import { SharedText, type TextParts } from '../streams/text-response.js';

/**
 * The JSON of whole lists. Equal configurations share one list, so a warm answer only has to copy its text. The number is
 * small, because each text may have megabytes.
 */
const lists = new QuickLRU<readonly unknown[], SharedText>({ maxSize: 4 });

/** The JSON of items that many answers repeat. Writing it takes most of the time of an answer from a known list. */
const texts = new WeakMap<object, string>();

/**
 * Writes the answer to a list request, with the same bytes as `JSON.stringify`.
 *
 * @param message the answer; its items belong to known lists, which never change
 * @returns its JSON, in parts
 */
export function writeAnswer(message: Message): TextParts {
  const result = read(message, 'result');
  const kind = KINDS.find((each) => Array.isArray(read(result, each)));
  const items = kind === undefined ? undefined : read(result, kind);
  if (kind === undefined || !Array.isArray(items)) return [JSON.stringify(message)];
  const written = JSON.stringify({ ...message, result: { ...Object(result), [kind]: place() } });
  const [before = '', after = ''] = written.split(JSON.stringify(place()));
  return [before, listTextOf(items), after];
}

/** The place of a list in its answer: a text that no client can know. */
const place = once(() => crypto.randomUUID());

const listTextOf = (items: readonly unknown[]): SharedText =>
  getOrMake(lists, items, () => new SharedText(`[${items.map(textOf).join()}]`));

function textOf(item: unknown): string {
  if (typeof item !== 'object' || item === null) return JSON.stringify(item) ?? 'null';
  return getOrMake(texts, item, () => JSON.stringify(item));
}
