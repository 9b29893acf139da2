/**
 * Writes a value with texts as a constant. If texts have blanks, such as `{name}`, it is a function that fills them in.
 *
 * @param value texts, lists of them and objects with them
 * @returns an expression in TypeScript
 * @example
 * textsOf('The tool {name} is hidden.'); // '({ name }: { readonly name: Blank }) => `The tool ${name} is hidden.`'
 */
export function textsOf(value: unknown): string {
  const blanks = [...new Set(Array.from(JSON.stringify(value).matchAll(BLANK), ([, name = '']) => name))];
  if (blanks.length === 0) return `${JSON.stringify(value)} as const`;
  const types = blanks.map((name) => `readonly ${name}: string | number`).join('; ');
  const body = written(value);
  return `({ ${blanks.join(', ')} }: { ${types} }) => ${body.startsWith('{') ? `(${body} as const)` : body}`;
}

const BLANK = /\{(\w+)\}/g;

function written(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(written).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${written(each)}`);
    return `{ ${members.join(', ')} }`;
  }
  if (typeof value !== 'string' || value.search(BLANK) === -1) return JSON.stringify(value);
  const text = value.replace(/[\\`]|\$(?=\{)/g, '\\$&');
  return `\`${text.replace(BLANK, (blank) => `$${blank}`)}\``;
}
