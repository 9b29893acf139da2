import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { EXTENSION_ID, isMembers, type Members, read } from '../../src/core/wire/messages.js';
import type { Case } from './cases.js';
import type { Mode } from './play.js';

/** Why an answer may differ, and where the docs say so. */
export interface Reason {
  readonly sentence: string;
  readonly link: string;
}

export const REASONS: Readonly<Record<string, Reason>> = parse(
  readFileSync('test/differential/reasons.yaml', 'utf8'),
);

/** Whether the difference between two answers is the one that a reason names. */
const EXPLAINS: Readonly<Record<string, (alone: string, gate: string) => boolean>> = {
  'joined-pages': (alone, gate) => alone.replace(/"nextCursor":"[^"]*",?/, '') === gate,
  refused: (alone, gate) => alone.includes('"result"') && /"code":"~-32(600|700)"/.test(gate),
};

/** Returns why the answers differ: `undefined` if they are equal, `unexplained` if no reason names the difference. */
export function differenceOf(
  { textIds }: Case,
  mode: Mode,
  alone: readonly string[],
  gate: readonly string[],
): string | undefined {
  const one = alone.map((line) =>
    tokens(textIds === true ? line.replace(/"id":"(\d+)"/, '"id":$1') : line, mode),
  );
  const other = gate.map((line) => tokens(line, mode));
  if (one.length !== other.length) return 'unexplained';
  const pairs = one.sort().map((text, index) => [text, other.sort()[index] ?? ''] as const);
  const different = pairs.filter(([a, b]) => a !== b);
  if (different.length === 0) return undefined;
  const found = Object.keys(REASONS).find((id) => different.every(([a, b]) => EXPLAINS[id]?.(a, b)));
  return found ?? 'unexplained';
}

/** The tokens of a message: `1.0` is not `1`, and blanks are nothing. Without what the gate adds, and what the policy hides. */
function tokens(line: string, mode: Mode): string {
  const marked = line.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
    token.startsWith('"') ? token : `"~${token}"`,
  );
  const message: unknown = JSON.parse(marked);
  const result = read(message, 'result');
  if (!isMembers(message) || !isMembers(result)) return JSON.stringify(message);
  const { _meta, tools, ...rest } = result;
  const kept = {
    ...rest,
    ...(Array.isArray(tools)
      ? { tools: tools.filter((tool) => mode === 'wide' || read(tool, 'name') !== 'secret_b') }
      : {}),
    ...metaOf(_meta),
  };
  return JSON.stringify({ ...message, result: kept }, sorted);
}

function metaOf(meta: unknown): Members {
  if (!isMembers(meta)) return {};
  const { [EXTENSION_ID]: _own, ...rest } = meta;
  return Object.keys(rest).length === 0 ? {} : { _meta: rest };
}

const sorted = (_key: string, value: unknown): unknown =>
  isMembers(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
