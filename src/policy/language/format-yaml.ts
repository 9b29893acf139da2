import { isDeepStrictEqual } from 'node:util';
import {
  type Document,
  isCollection,
  isMap,
  isScalar,
  parseDocument,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';

const WIDTH = 110;

/** A file that cannot be formatted. */
export class FormatError extends Error {
  readonly code = 'NOT_FORMATTED';
  override readonly name = 'FormatError';
}

/**
 * Formats YAML: indentation, spaces, line breaks of flow collections, quotes. Comments, blank lines and the order of
 * everything stay. Formatting twice gives the same as formatting once.
 *
 * @param text the file's text, readable YAML
 * @returns the formatted text
 * @throws {FormatError} if the text is no YAML that a policy can be, or the formatted text would mean something else
 * @example
 * formatYaml('values: [ low,high ]'); // 'values: [low, high]\n'
 */
export function formatYaml(text: string): string {
  // The marks of changed lines are those of the file; the parser takes both.
  const source = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const first = format(source);
  if (first.text === source) return source;
  // Comments can move once, to where they stay.
  let last = first;
  for (let round = 0; round < 3; round++) {
    const again = format(last.text);
    if (again.text === last.text) {
      checkSame(first.holds, again.holds);
      return again.text;
    }
    last = again;
  }
  throw new FormatError('formatting it does not come to an end');
}

/**
 * Formats YAML that this package wrote itself, in which no comment stands where it could move or be lost: in half the
 * time.
 *
 * @param text the text
 * @returns the formatted text, as `formatYaml` gives it
 */
export function formatOwnYaml(text: string): string {
  return format(text).text;
}

function parse(text: string): Document {
  if (text.includes('\u0000')) throw new FormatError('it holds a NUL character');
  const document = parseDocument(text);
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) throw new FormatError(problem.message.split('\n', 1)[0] ?? problem.code);
  return document;
}

interface Formatted {
  readonly text: string;
  /** What the text held before it was formatted. */
  readonly holds: Content;
}

function format(text: string): Formatted {
  const document = parse(text);
  // Printing changes nothing of the data, but it may move comments.
  const comments = commentsOf(document);
  const holds = { data: () => document.toJS({ maxAliasCount: 0 }), comments };
  // The printer would write "null" for nothing at all.
  if (document.contents === null) return { text, holds };
  visit(document, {
    Scalar(_key, scalar) {
      // Double quotes, unless they would need escapes; what is not quoted stays so.
      if (scalar.type === 'QUOTE_SINGLE' && !/["\\]/.test(String(scalar.value))) scalar.type = 'QUOTE_DOUBLE';
    },
    Pair(_key, { key, value }) {
      if (!isCollection(value) || !value.flow || !isScalar(key)) return;
      const quotes = key.type === 'PLAIN' ? 0 : 2;
      layOut(value, String(key.source ?? key.value).length + quotes + ': '.length);
    },
    Collection(_key, collection) {
      if (collection.flow && !laidOut.has(collection)) layOut(collection, undefined);
    },
  });
  // Without a width nothing is folded: a long description stays one line.
  const formatted = document.toString({ lineWidth: 0, trailingComma: true }).replaceAll(NEXT_LINE, '');
  return { text: formatted, holds };
}

type Collection = YAMLMap | YAMLSeq;
type Context = NonNullable<Parameters<YAMLMap['toString']>[0]>;

const laidOut = new WeakSet<object>();
/** Stands before what goes to a line of its own, which the printer grants to what holds a line break. */
const NEXT_LINE = '\u0000\n\u0000';

/**
 * Gives a flow collection the first of these that is not too long: beside its key, on the line below, an item a line.
 * Lists have no spaces inside their brackets.
 *
 * @param collection the collection
 * @param key how long its key is; nothing for an item of a list
 */
function layOut(collection: Collection, key: number | undefined): void {
  laidOut.add(collection);
  const write = collection.toString;
  collection.toString = (context?: Context, ...rest) => {
    if (context === undefined) return write.call(collection);
    const written = (lineWidth: number): string => {
      const flowCollectionPadding = isMap(collection) ? ' ' : '';
      const options = { ...context.options, lineWidth };
      return write.call(collection, { ...context, flowCollectionPadding, options }, ...rest);
    };
    const line = written(0);
    if (line.includes('\n')) return line;
    const room = WIDTH - context.indent.length - (context.inFlow ? ','.length : 0);
    if (line.length + (key === undefined ? 0 : key - context.indentStep.length) <= room) return line;
    if (key !== undefined && line.length <= room) return NEXT_LINE + line;
    return written(line.length - 1);
  };
}

interface Content {
  data(): unknown;
  readonly comments: string;
}

/** Whatever the printer does: the same data, in the same order, and as many comments. */
function checkSame(before: Content, after: Content): void {
  const [old, formatted] = [before.data(), after.data()];
  const equal = isDeepStrictEqual(old, formatted) && JSON.stringify(old) === JSON.stringify(formatted);
  if (!equal) throw new FormatError('formatted, it would mean something else');
  if (before.comments !== after.comments) throw new FormatError('formatted, it would lose a comment');
}

function commentsOf(document: Document): string {
  const found: string[] = [document.commentBefore ?? '', document.comment ?? ''];
  visit(document, {
    Node(_key, { commentBefore, comment }) {
      found.push(commentBefore ?? '', comment ?? '');
    },
  });
  return found
    .flatMap((comment) => comment.split('\n'))
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .sort()
    .join('\n');
}
