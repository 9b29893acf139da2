import { type Node, type ParseError, parseTree } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';

/**
 * Reads a file of a host: JSON, also with comments and last commas, or TOML.
 *
 * @param file its path, whose ending tells the form
 * @param text its content
 * @returns the document, whose objects have only the members of the text
 * @throws if it is neither: the message says where
 */
export function readDocument(file: string, text: string): unknown {
  const content = text.replace(/^\uFEFF/, '');
  if (file.endsWith('.toml')) return parseToml(content);
  const errors: ParseError[] = [];
  const tree = parseTree(content, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors;
  if (first !== undefined)
    throw new Error(`it is not JSON in line ${content.slice(0, first.offset).split('\n').length}`);
  return tree === undefined ? {} : dataOf(tree);
}

/** As JSON.parse does, `__proto__` becomes a member: a server can be called so. */
function dataOf(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(dataOf);
  if (node.type !== 'object') return node.value;
  const entries = (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
    key === undefined || value === undefined ? [] : [[String(key.value), dataOf(value)] as const],
  );
  return Object.fromEntries(entries);
}
