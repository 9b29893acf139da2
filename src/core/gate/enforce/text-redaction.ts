import { once } from '../../once.js';
import { type Request, read } from '../../wire/messages.js';
import { rewriteJson } from '../../wire/rewrite-json.js';
import type { Substitute } from '../request/facts.js';
import { targetOf } from '../table/routing.js';
import {
  type Finder,
  type FoundName,
  HIDDEN,
  NameFinder,
  outside,
  replaceParts,
  type Span,
} from './name-finder.js';
import { normalizeUri } from './uri-variants.js';

/** In characters. No server lists longer names, so an echo of one needs no protection. */
const MAX_ECHO = 65_536;

/** The params in which a client writes free text. The name of the primitive is not among them. */
const FREE_PARAMS = ['arguments', 'argument', 'context', 'taskId'];

/**
 * Returns a function that removes hidden names from a text of the server's response to one request, and then puts the
 * requested name back in the place of its substitute.
 *
 * Two things stay, so that a response does not confirm a guess: the name that the request names, and hidden names that
 * the client itself wrote into the arguments. A response must be equal for a hidden and for an unknown name.
 *
 * @param hidden finds the hidden names
 * @param request the client's request. Its arguments are read when the first text contains a hidden name.
 * @param substitute what the server received in place of the requested name
 * @param own what one of several servers calls what the request names
 */
export function textRedaction(
  hidden: Finder,
  request: Request,
  substitute: Substitute | undefined,
  own?: string,
): (text: string) => string {
  const spared = once(() => namesIn(hidden, request));
  const echoes = once(() => new NameFinder(echoesOf(hidden, request, substitute, own)));

  const redact = (text: string): string => {
    const found = hidden.find(text);
    if (found.length === 0) return text;
    const hiding = found.filter((part) => !spared().has(part.name));
    const parts = substitute === undefined ? hiding : apart(hiding, occurrences(text, substitute.sent));
    return replaceParts(text, outside(parts, echoes().find(text)), HIDDEN);
  };

  const inForms = inBothForms(redact);
  if (substitute === undefined) return inForms;
  return (text) => inForms(text).replaceAll(substitute.sent, () => substitute.original);
}

/** The server may write an accented letter as a letter and a combining mark. */
export function inBothForms(redact: (text: string) => string): (text: string) => string {
  return (text) => {
    const redacted = redact(text);
    const composed = redacted.normalize('NFC');
    if (composed === redacted) return redacted;
    const again = redact(composed);
    return again === composed ? redacted : again;
  };
}

/** Returns the hidden names that the client wrote into the arguments of its request. */
function namesIn(hidden: Finder, { params }: Request): ReadonlySet<string> {
  const names = new Set<string>();
  const collect = (text: string): string => {
    for (const form of new Set([text, text.normalize('NFC')])) {
      for (const { name } of hidden.find(form)) names.add(name);
    }
    return text;
  };
  for (const param of FREE_PARAMS) rewriteJson(read(params, param), { text: collect, key: collect });
  return names;
}

/** Returns the texts in which a server repeats the name that it received, and which are then left alone as a whole. */
function echoesOf(
  hidden: Finder,
  request: Request,
  substitute: Substitute | undefined,
  own: string | undefined,
): string[] {
  const target = targetOf(request);
  if (target === undefined) return [];
  const received = substitute === undefined ? [target.name, own ?? ''] : [substitute.name];
  return received
    .filter(({ length }) => length <= MAX_ECHO)
    .flatMap((name) => {
      if (target.type !== 'uri') return [name];
      const echoes = [name, normalizeUri(name)];
      if (substitute !== undefined) return echoes;
      // Only the last segment of a hidden URI is put back, so the last segment of any other URI must stay too. As a hidden
      // name of its own it must not: the server may list it next to the URI.
      const last = name.slice(name.lastIndexOf('/') + 1);
      const isName = hidden.find(last).some(({ start, end }) => start === 0 && end === last.length);
      return isName ? echoes : [...echoes, last];
    });
}

/** Returns the parts that overlap none of the spans, which do not overlap each other. Both are in the order of their ends. */
function apart(parts: readonly FoundName[], spans: readonly Span[]): readonly FoundName[] {
  const left = [...spans];
  const found = parts.toReversed().filter(({ start, end }) => {
    while ((left.at(-1)?.start ?? -1) >= end) left.pop();
    return (left.at(-1)?.end ?? 0) <= start;
  });
  return found.reverse();
}

function occurrences(text: string, part: string): readonly Span[] {
  const spans: Span[] = [];
  for (let start = text.indexOf(part); start !== -1; start = text.indexOf(part, start + part.length)) {
    spans.push({ start, end: start + part.length });
  }
  return spans;
}
