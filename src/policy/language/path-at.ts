/** Where a position is in a policy that is being written, even if its YAML is not valid yet. */
export interface PositionInYaml {
  /** The keys above the position, from the outside; `0` stands for any item of a list. */
  readonly path: readonly (string | 0)[];
  /** Whether a key is written here, the value of the last key of the path, or nothing that can be known. */
  readonly writes: 'key' | 'value';
  /** Where the word that is being written begins. It ends at the position. */
  readonly from: number;
  /** Whether the word is in a flow mapping or list, `{ ... }` or `[ ... ]`. */
  readonly flow: boolean;
}

/** What is open at the end of a part of one line: the value of a key, the item of a list (`0`), or a mapping. */
interface Open {
  readonly step: string | 0 | undefined;
}

/** A key or a dash of a line, and its column. */
interface Mark {
  readonly column: number;
  readonly step: string | 0;
}

const KEY = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'|([^\s#,:{}[\]"'&*!|>%@`][^#,{}[\]]*?))\s*:(?=\s|$)/;

/**
 * Finds where a position is, from the lines above it and their indentation. A parser of YAML cannot: while a person
 * writes, the text is rarely valid.
 *
 * @param text the text of a policy file
 * @param offset the position in the text
 * @returns the place; `undefined` in a comment
 * @example
 * positionInYaml('concerns:\n  security: { ma', 27); // { path: ['concerns', 'security'], writes: 'key', from: 25, flow: true }
 */
export function positionInYaml(text: string, offset: number): PositionInYaml | undefined {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const line = text.slice(start, offset);
  if (/(?:^|\s)#/.test(line.replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, '""'))) return undefined;
  const { marks, rest } = marksOf(line);
  const at = marks.at(-1);
  const column = line.length - rest.length;
  const open = openIn(rest);
  const outer = stepsAbove(text.slice(0, start), marks[0] ?? { column, step: '' });
  const path = [...outer, ...marks.map(({ step }) => step), ...open.steps];
  const wordStart = /[^\s,{}[\]]*$/.exec(rest)?.index ?? rest.length;
  const isValue = open.flow ? open.writes === 'value' : typeof at?.step === 'string';
  return { path, writes: isValue ? 'value' : 'key', from: start + column + wordStart, flow: open.flow };
}

/** The dashes and keys at the beginning of a line, and the text after them. */
function marksOf(line: string): { readonly marks: readonly Mark[]; readonly rest: string } {
  const marks: Mark[] = [];
  let column = line.length - line.trimStart().length;
  for (;;) {
    const rest = line.slice(column);
    const dash = /^-\s+/.exec(rest);
    const [whole, double, single, plain] = KEY.exec(rest) ?? [];
    if (dash !== null) {
      marks.push({ column, step: 0 });
      column += dash[0].length;
    } else if (whole !== undefined && typeof marks.at(-1)?.step !== 'string') {
      marks.push({ column, step: double ?? single ?? plain ?? '' });
      column += whole.length;
    } else return { marks, rest };
  }
}

/** The keys and items of the lines above that contain a mark. */
function stepsAbove(text: string, mark: Mark): readonly (string | 0)[] {
  const steps: (string | 0)[] = [];
  let child = mark;
  const lines = text.split('\n');
  for (let number = lines.length - 1; number >= 0; number--) {
    const line = lines[number] ?? '';
    if (/^\s*(?:#|$)/.test(line)) continue;
    for (const parent of marksOf(line).marks.toReversed()) {
      if (!contains(parent, child)) continue;
      steps.unshift(parent.step);
      child = parent;
    }
  }
  return steps;
}

/** A list may begin in the same column as its key. */
const contains = (parent: Mark, child: Mark): boolean =>
  parent.column < child.column ||
  (parent.column === child.column && child.step === 0 && typeof parent.step === 'string');

/** What is open in the flow mappings and lists at the end of a text. */
function openIn(text: string): {
  readonly steps: readonly (string | 0)[];
  readonly writes: 'key' | 'value';
  readonly flow: boolean;
} {
  const stack: Open[] = [];
  let rest = text;
  while (rest !== '') {
    const [whole, double, single, plain] = KEY.exec(rest) ?? [];
    const last = stack.at(-1);
    if (whole !== undefined && last !== undefined && last.step === undefined) {
      stack.push({ step: double ?? single ?? plain ?? '' });
      rest = rest.slice(whole.length);
      continue;
    }
    const [skipped = ''] = /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^{}[\],"'\s]+|\s+)/.exec(rest) ?? [];
    const sign = skipped === '' ? rest[0] : '';
    if (sign === '{') stack.push({ step: undefined });
    else if (sign === '[') stack.push({ step: 0 });
    else if (sign === '}' || sign === ']') {
      if (typeof last?.step === 'string') stack.pop();
      stack.pop();
    } else if (sign === ',' && typeof last?.step === 'string') stack.pop();
    rest = rest.slice(skipped.length || 1);
  }
  const last = stack.at(-1);
  const steps = stack.flatMap(({ step }) => step ?? []);
  return {
    steps,
    writes: last === undefined || last.step === undefined ? 'key' : 'value',
    flow: stack.length > 0,
  };
}
