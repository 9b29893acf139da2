import { findCards, type Range } from './card.js';

export const REDACTABLE = ['email', 'card', 'phone', 'ipv4'] as const;
export type Redactable = (typeof REDACTABLE)[number];

/** The redacted text, and how often each kind was found. */
export interface Redaction {
  readonly text: string;
  readonly found: Record<Redactable, number>;
}

/**
 * Replaces personal data by `[kind]`.
 *
 * The time is proportional to the length of the text: repetitions in the patterns are bounded, and adjacent parts of a
 * pattern do not match the same character.
 */
export function redact(text: string, kinds: readonly Redactable[]): Redaction {
  const spans = kinds
    .flatMap((kind) => FINDERS[kind](text).map((range) => ({ kind, ...range })))
    .sort((a, b) => a.start - b.start || b.end - a.end);
  const found: Record<Redactable, number> = { email: 0, card: 0, phone: 0, ipv4: 0 };
  const parts: string[] = [];
  let done = 0;
  for (const { kind, start, end } of spans) {
    // Two kinds can overlap, for example a card number after a plus sign. The one that starts first names the
    // replacement, and the rest of the other one is removed too.
    if (end <= done) continue;
    if (start >= done) {
      parts.push(text.slice(done, start), `[${kind}]`);
      found[kind] += 1;
    }
    done = end;
  }
  parts.push(text.slice(done));
  return { text: parts.join(''), found };
}

const FINDERS: Record<Redactable, (text: string) => Range[]> = {
  email: findEmails,
  card: findCards,
  phone: (text) => match(text, /\+\d(?:[ ()./-]{0,2}\d){6,14}(?!\d)/g),
  ipv4: (text) =>
    match(text, /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?!\.?\d)/g).filter((range) =>
      isIPv4(text.slice(range.start, range.end)),
    ),
};

const MAX_LOCAL = 64;
const MAX_DOMAIN = 255;

/** Searches around each `@`. A regular expression would start again at every character before it. */
function findEmails(text: string): Range[] {
  const emails: Range[] = [];
  let floor = 0;
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    let start = at;
    while (start > floor && at - start < MAX_LOCAL && isLocal(text.charCodeAt(start - 1))) start -= 1;
    let end = at + 1;
    while (end < text.length && end - at <= MAX_DOMAIN && isDomain(text.charCodeAt(end))) end += 1;
    // A period at the end of a sentence does not belong to the address.
    while (end > at + 1 && !isAlphanumeric(text.charCodeAt(end - 1))) end -= 1;
    if (start < at && text.slice(at + 1, end).includes('.')) {
      emails.push({ start, end });
      floor = end;
    }
  }
  return emails;
}

function isAlphanumeric(code: number): boolean {
  return (
    (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code > 127
  );
}

function isLocal(code: number): boolean {
  return isAlphanumeric(code) || ".!#$%&'*+/=?^_`{|}~-".includes(String.fromCharCode(code));
}

function isDomain(code: number): boolean {
  return isAlphanumeric(code) || code === 45 || code === 46;
}

/** Accepts leading zeros, because redacting too much does less harm than redacting too little. */
function isIPv4(address: string): boolean {
  return address.split('.').every((octet) => Number(octet) <= 255);
}

function match(text: string, pattern: RegExp): Range[] {
  return Array.from(text.matchAll(pattern), ({ 0: { length }, index }) => ({
    start: index,
    end: index + length,
  }));
}
