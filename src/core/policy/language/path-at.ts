import { CST, Lexer, Parser } from 'yaml';

/** Where a position is in a policy that is being written, even if its YAML is not valid yet. */
export interface PositionInYaml {
  /** The keys above the position, from the outside; `0` stands for any item of a list. */
  readonly path: readonly (string | 0)[];
  /** Whether a key is written here, or the value of the last key of the path. */
  readonly writes: 'key' | 'value';
  /** Where the word that is being written begins. It ends at the position. */
  readonly from: number;
  /** Whether the word is in a flow mapping or list, `{ ... }` or `[ ... ]`. */
  readonly flow: boolean;
}

type Collection = CST.BlockMap | CST.BlockSequence | CST.FlowCollection;

/**
 * Finds where a position is. Nothing below it counts, and nothing has to be complete: while a person writes, the text is rarely
 * valid, but the parser of tokens keeps what is open where the text ends.
 *
 * @param text the text of a policy file
 * @param offset the position in the text
 * @returns the place; `undefined` in a comment
 * @example
 * positionInYaml('concerns:\n  security: { ma', 27); // { path: ['concerns', 'security'], writes: 'key', from: 25, flow: true }
 */
export function positionInYaml(text: string, offset: number): PositionInYaml | undefined {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const from = start + text.slice(start, offset).search(/[^\s,{}[\]]*$/);
  // Only the last section counts. With a word at its end, it says which of the open parts the position belongs to.
  const section = [...text.slice(0, from).matchAll(/^\w/gm)].at(-1)?.index ?? 0;
  const lexemes = [...new Lexer().lex(`${text.slice(section, from)}x`)];
  if (lexemes.at(-1)?.startsWith('#')) return undefined;
  const parser = new Parser();
  // A generator runs only as far as it is read.
  for (const lexeme of lexemes) Array.from(parser.next(lexeme));
  const open = parser.stack.filter(isOpen);
  return {
    path: open.flatMap(stepsInto),
    writes: writesValue(open.at(-1)) ? 'value' : 'key',
    from,
    flow: open.some(({ type }) => type === 'flow-collection'),
  };
}

/** A flow mapping or list stays until its line ends. */
const isOpen = (token: CST.Token): token is Collection =>
  CST.isCollection(token) && !(token.type === 'flow-collection' && token.end.length > 0);

const isList = (collection: Collection): boolean =>
  collection.type === 'block-seq' ||
  (collection.type === 'flow-collection' && collection.start.type === 'flow-seq-start');

/** The step to what is open in a collection; none where the next key of a mapping is being written. */
function stepsInto(collection: Collection): (string | 0)[] {
  if (isList(collection)) return [0];
  const { key, sep } = collection.items.at(-1) ?? {};
  const isWritten = sep?.some(({ type }) => type === 'map-value-ind');
  const name = isWritten && key ? CST.resolveAsScalar(key)?.value : undefined;
  return name === undefined ? [] : [name];
}

/** Whether a word is a value of the innermost part. On its own line below a key, it begins a mapping. */
function writesValue(inner: Collection | undefined): boolean {
  if (inner === undefined || inner.type === 'block-seq') return false;
  if (isList(inner)) return true;
  const { sep } = inner.items.at(-1) ?? {};
  const isBelow = inner.type === 'block-map' && sep?.some(({ type }) => type === 'newline');
  return stepsInto(inner).length > 0 && isBelow !== true;
}
