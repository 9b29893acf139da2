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
import { type ErrorClass, errorClass } from '../../errors.js';

/** Flow collections longer than this many columns are broken into lines. */
const WIDTH = 110;

const FormatErrorBase: ErrorClass<'FormatError', 'NOT_FORMATTED'> = errorClass(
  'FormatError',
  'NOT_FORMATTED',
);

/** A text that cannot be formatted. The message gives the reason as a clause without a period. */
export class FormatError extends FormatErrorBase {}

/**
 * Formats YAML: indentation, spaces, line breaks of flow collections, quotes. Comments, blank lines and the order of
 * all entries stay. Formatting a formatted text returns it unchanged.
 *
 * @param text the text of a YAML file
 * @returns the formatted text
 * @throws {FormatError} if the text is not valid YAML, or the formatted text would have different data or comments
 * @example
 * formatYaml('values: [ low,high ]'); // 'values: [low, high]\n'
 */
export function formatYaml(text: string): string {
  // A byte order mark and Windows line breaks would make every file look changed.
  const source = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  let formatted = source;
  // The printer can move a comment in the first round, to a position where it then stays.
  for (let round = 0; round < 4; round++) {
    const before = formatted;
    formatted = formatOwnYaml(before);
    if (formatted !== before) continue;
    if (round > 0) checkSame(source, formatted);
    return formatted;
  }
  throw new FormatError('formatting does not reach a stable result');
}

/**
 * Formats YAML that this package generated. It skips the checks of `formatYaml`, because generated YAML has no comments
 * that could move or be lost, and takes half the time.
 *
 * @param text the generated YAML
 * @returns the formatted text, as `formatYaml` returns it
 * @throws {FormatError} if the text is not valid YAML
 * @example
 * formatOwnYaml('values: [ low,high ]'); // 'values: [low, high]\n'
 */
export function formatOwnYaml(text: string): string {
  const document = parse(text);
  // The printer would write "null" for an empty document.
  if (document.contents === null) return text;
  visit(document, {
    Scalar(_key, scalar) {
      // Use double quotes unless they would need escapes. Unquoted text stays unquoted.
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
  // A width of 0 turns folding off, so a long description stays on one line.
  return document.toString({ lineWidth: 0, trailingComma: true }).replaceAll(NEXT_LINE, '');
}

function parse(text: string): Document {
  if (text.includes('\u0000')) throw new FormatError('the text contains a NUL character');
  const document = parseDocument(text);
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) {
    throw new FormatError(problem.message.split('\n', 1)[0] ?? problem.code, { cause: problem });
  }
  return document;
}

type Collection = YAMLMap | YAMLSeq;
type Context = NonNullable<Parameters<YAMLMap['toString']>[0]>;

const laidOut = new WeakSet<object>();
/** Marks a value that must start on a new line: the printer breaks the line before a text with a line break. */
const NEXT_LINE = '\u0000\n\u0000';

/**
 * Chooses the layout of a flow collection. It uses the first layout that fits the width: on the line of its key, on the
 * line below, or one item per line. Lists have no spaces inside their brackets.
 *
 * @param collection the collection, whose `toString` is replaced
 * @param key the length of its key in columns; undefined for an item of a list
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

/** Throws if the printer changed data, order or comments, because that would be a bug of the printer. */
function checkSame(before: string, after: string): void {
  const documents = [before, after].map(parse);
  const [old, formatted] = documents.map((each): unknown => each.toJS({ maxAliasCount: 0 }));
  const equal = isDeepStrictEqual(old, formatted) && JSON.stringify(old) === JSON.stringify(formatted);
  if (!equal) throw new FormatError('the formatted text would have a different meaning');
  const [comments, kept] = documents.map(commentsOf);
  if (comments !== kept) throw new FormatError('the formatted text would lose a comment');
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
