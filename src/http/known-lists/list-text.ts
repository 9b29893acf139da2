import QuickLRU from 'quick-lru';
import { KINDS } from '../../engine/policy.js';
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
  const pieces: (string | SharedText)[] = [];
  write(message, pieces, (key, value) => {
    if (key !== 'result' || typeof value !== 'object' || value === null) return false;
    write(value, pieces, (member, items) => {
      if (!Array.isArray(items) || !KINDS.some((kind) => kind === member)) return false;
      pieces.push(listTextOf(items));
      return true;
    });
    return true;
  });
  return pieces;
}

/** @param special writes the member itself and returns true, or returns false */
function write(
  value: object,
  pieces: (string | SharedText)[],
  special: (key: string, value: unknown) => boolean,
): void {
  let separator = '{';
  for (const key of Object.keys(value)) {
    const each = read(value, key);
    // `JSON.stringify` leaves out undefined members.
    if (each === undefined) continue;
    pieces.push(separator, JSON.stringify(key), ':');
    separator = ',';
    if (!special(key, each)) pieces.push(JSON.stringify(each));
  }
  pieces.push(separator === '{' ? '{}' : '}');
}

function listTextOf(items: readonly unknown[]): SharedText {
  const known = lists.get(items);
  if (known !== undefined) return known;
  const text = new SharedText(`[${items.map(textOf).join()}]`);
  lists.set(items, text);
  return text;
}

function textOf(item: unknown): string {
  if (typeof item !== 'object' || item === null) return JSON.stringify(item) ?? 'null';
  const known = texts.get(item);
  if (known !== undefined) return known;
  const text = JSON.stringify(item);
  texts.set(item, text);
  return text;
}
