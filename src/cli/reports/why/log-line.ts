import { text } from 'node:stream/consumers';
import { jsonOrText } from '../../../core/engine/claims.js';
import { membersOf } from '../../../core/engine/expression/evaluate.js';
import { KINDS, type Kind } from '../../../core/engine/policy.js';
import { LISTS, METHODS, read } from '../../../core/wire/messages.js';
import { CliError } from '../../errors.js';
import { readText } from '../../terminal/read-text.js';

/** What a log line tells about a decision. The names of its fields are in docs/reference/settings.md. */
export interface LoggedDecision {
  readonly line: object;
  readonly method: string;
  /** The id of the decision. */
  readonly decision: string;
  /** The digest of the policy. */
  readonly policy: string;
  readonly concerns: Record<string, unknown>;
  readonly sources: Record<string, unknown>;
  /** The values that a model had set. */
  readonly model: Record<string, unknown>;
  readonly about: DecidedAbout;
}

/** What a decision is about: a primitive, or a list, of which the client's own filter left out so many. */
export type DecidedAbout =
  | { readonly what: 'primitive'; readonly kinds: readonly Kind[]; readonly name: string }
  | { readonly what: 'list'; readonly kind: Kind; readonly filtered: number };

const TARGETS: readonly (readonly [field: string, kinds: readonly Kind[]])[] = [
  ['gen_ai.tool.name', ['tools']],
  ['gen_ai.prompt.name', ['prompts']],
  ['mcp.resource.uri', ['resources', 'resourceTemplates']],
];

/**
 * Reads log lines from the command line.
 *
 * @param given a line, the path of a file, or `-` for stdin
 * @param stdin what `-` reads
 * @returns the lines that are not empty
 * @throws {CliError} if the file cannot be read
 * @example
 * await readLogLines('{"level":"INFO", ...}', terminal.stdin);
 */
export async function readLogLines(given: string, stdin: NodeJS.ReadableStream): Promise<readonly string[]> {
  const content = given.trimStart().startsWith('{')
    ? given
    : given === '-'
      ? await text(stdin)
      : readText(given, 'Pass a log line, the path of a file with log lines, or - for stdin.');
  return content.split('\n').filter((line) => line.trim() !== '');
}

/**
 * Finds the decision in a log line. Text before the JSON is ignored: tools write the time and the stream there. So is the
 * object that CloudWatch puts around a line.
 *
 * @param text the line
 * @returns the decision; `undefined` if the line has none, or is not a log line
 * @example
 * parseLogLine('2026-11-20T13:02:39Z {"mcp.method.name":"tools/list", ...}')?.about.what; // 'list'
 */
export function parseLogLine(text: string): LoggedDecision | undefined {
  const line = lineIn(text);
  const [method, decision, policy] = ['mcp.method.name', 'decision', 'policy'].map((name) =>
    read(line, name),
  );
  if (typeof method !== 'string' || typeof decision !== 'string' || typeof policy !== 'string')
    return undefined;
  const about = aboutOf(line, method);
  if (line === undefined || about === undefined) return undefined;
  const [concerns, sources] = [membersOf(read(line, 'concerns')), membersOf(read(line, 'sources'))];
  const model = membersOf(read(line, 'model'));
  return { line, method, decision, policy, concerns, sources, model, about };
}

/** What a log line tells about preferences that somebody switched. */
export interface LoggedSwitch {
  readonly line: object;
  readonly about: { readonly what: 'switch' };
}

/** @returns what a log line tells about preferences that somebody switched; `undefined` if it is about something else */
export function switchIn(text: string): LoggedSwitch | undefined {
  const line = lineIn(text);
  if (line === undefined || read(line, 'mcp.method.name') !== METHODS.updateConcerns) return undefined;
  return { line, about: { what: 'switch' } };
}

/** @returns the object of a log line, also from the object that a service put around it */
function lineIn(text: string): object | undefined {
  const line = objectIn(text);
  const inner = [read(line, '@message'), read(line, 'message')].find(
    (each) => typeof each === 'string' && each.includes('{'),
  );
  return typeof inner === 'string' ? lineIn(inner) : line;
}

function aboutOf(line: unknown, method: string): DecidedAbout | undefined {
  for (const [field, kinds] of TARGETS) {
    const name = read(line, field);
    if (typeof name === 'string' && read(line, 'effect') !== undefined)
      return { what: 'primitive', kinds, name };
  }
  // Of a list that is too long, the line has the counts of one page only.
  if ([read(line, 'warnings')].flat().includes('unbounded-list')) return undefined;
  const kind = KINDS.find((each) => LISTS[each].method === method);
  if (kind === undefined || !Number.isInteger(read(line, 'shown'))) return undefined;
  const filtered = read(line, 'hidden', 'filter');
  return { what: 'list', kind, filtered: typeof filtered === 'number' ? filtered : 0 };
}

function objectIn(text: string): object | undefined {
  const start = text.indexOf('{');
  if (start === -1) return undefined;
  const value = jsonOrText(text.slice(start));
  return typeof value === 'object' && value !== null ? value : undefined;
}

/** @returns the error for lines without a decision */
export const noDecision = (given: string): CliError =>
  new CliError(
    `${given.length > 60 ? `${given.slice(0, 57)}...` : given} has no decision. Pass a log line with the field "decision": that of a list, or of a call under "enforce".`,
  );
