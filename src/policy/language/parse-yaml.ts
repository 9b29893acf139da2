import { Composer, Lexer, Parser, YAMLParseError } from 'yaml';
import { problem } from './problem.js';

/**
 * Parses a text. The composer is recursive, and a stack overflow within a RegExp ends the
 * process, so the depth is limited while the tokens arrive: the parser of tokens is not recursive.
 *
 * @param text the text of a file
 * @param maxDepth the number of levels that the text may have, at least 100
 * @returns what it contains, or where it is nested too deeply
 * @example
 * parseYaml('version: 1', 256).document?.toJS(); // { version: 1 }
 */
export function parseYaml(text: string, maxDepth: number) {
  const parser = new Parser();
  const tokens = [];
  const comments: number[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    // A quoted text begins with its quote, and a block of text with its indentation, so this is a comment.
    if (lexeme.startsWith('#')) comments.push(parser.offset);
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > maxDepth) return { tooDeepAt: parser.offset };
  }
  tokens.push(...parser.end());
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false, resolveKnownTags: false });
  const [document, more] = composer.compose(tokens, true, text.length);
  if (document === undefined) throw new TypeError('The composer always creates a document.');
  if (more !== undefined) {
    const { message } = problem('bad-yaml.documents', {});
    document.errors.push(new YAMLParseError([more.range[0], more.range[0] + 1], 'MULTIPLE_DOCS', message));
  }
  return {
    /** The errors, warnings and directives. */
    document,
    /** The offset of each comment. */
    comments,
  };
}
