import { isDeepStrictEqual } from 'node:util';
import { modify } from 'jsonc-parser';
import { readDocument } from '../inputs/host-document.js';

/** A new command of a server, in the form that its host writes. */
export interface CommandEdit {
  readonly path: readonly string[];
  readonly command: readonly string[];
  /** Whether the host writes the program and its arguments as one list. */
  readonly isList: boolean;
  /** False for a program without `args`, as it was before. */
  readonly hasArgs?: boolean;
}

/** A part of a text that was replaced. To put it back takes nothing else of the text. */
export interface Splice {
  readonly at: number;
  readonly removed: string;
  readonly inserted: string;
}

/** A new text, and what was replaced in it, in this order. */
export interface EditedText {
  readonly text: string;
  readonly splices: readonly Splice[];
}

/**
 * Changes the commands of servers in the text of a host's file, and nothing else: comments and formatting stay.
 *
 * @param file its path, whose ending tells the form
 * @param text its content
 * @param edits the new commands
 * @returns the new text; `undefined` if the text would not say exactly that, so that the
 *   file must stay as it is
 * @example
 * editCommands('mcp.json', text, [{ path: ['mcpServers', 'crm'], command: ['node', 'crm.js'], isList: false }])?.text;
 */
export function editCommands(
  file: string,
  text: string,
  edits: readonly CommandEdit[],
): EditedText | undefined {
  const wanted = readDocument(file, text);
  const splices: Splice[] = [];
  let result = text;
  for (const { path, command, isList, hasArgs = true } of edits) {
    const [program = '', ...args] = command;
    const values = isList ? { command } : { command: program, args: hasArgs ? args : undefined };
    for (const [member, value] of Object.entries(values)) {
      const made = file.endsWith('.toml')
        ? tomlSplices(result, path, member, value)
        : jsonSplices(result, [...path, member], value);
      for (const splice of made) result = spliced(result, splice.at, splice.removed, splice.inserted);
      splices.push(...made);
      put(wanted, [...path, member], value);
    }
  }
  // The proof: read again, the file says what it said before, but for these commands.
  return provesEqual(file, result, wanted) ? { text: result, splices } : undefined;
}

/** @returns only the text of `editCommands` */
export const withCommands = (file: string, text: string, edits: readonly CommandEdit[]): string | undefined =>
  editCommands(file, text, edits)?.text;

/** @returns the text before `editCommands` made these replacements */
export const withoutSplices = (text: string, splices: readonly Splice[]): string =>
  splices.reduceRight((before, { at, removed, inserted }) => spliced(before, at, inserted, removed), text);

const spliced = (text: string, at: number, removed: string, inserted: string): string =>
  text.slice(0, at) + inserted + text.slice(at + removed.length);

function provesEqual(file: string, text: string, wanted: unknown): boolean {
  try {
    return isDeepStrictEqual(readDocument(file, text), wanted);
  } catch {
    return false;
  }
}

function jsonSplices(text: string, path: string[], value: unknown): Splice[] {
  const indent = /\n(\t| +)\S/.exec(text)?.[1] ?? '  ';
  const formattingOptions = {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
  return modify(text, path, value, { formattingOptions })
    .sort((a, b) => b.offset - a.offset)
    .map(({ offset, length, content }) => ({
      at: offset,
      removed: text.slice(offset, offset + length),
      inserted: content,
    }));
}

/** Replaces or adds `member = value` in the table of a path. Other forms of TOML stay, because the proof fails. */
function tomlSplices(text: string, path: readonly string[], member: string, value: unknown): Splice[] {
  const key = (part: string) =>
    `(?:${escaped(part)}|"${escaped(part)}"|'${escaped(part)}'|${escaped(JSON.stringify(part))})`;
  const keys = path.map(key).join('\\s*\\.\\s*');
  const header = new RegExp(`^[ \\t]*\\[\\s*${keys}\\s*\\][^\\n]*$`, 'm').exec(text);
  if (header === null) return [];
  const start = header.index + header[0].length;
  const next = text.slice(start).search(/^[ \t]*\[/m);
  const end = next === -1 ? text.length : start + next;
  const found = new RegExp(`^[ \\t]*${key(member)}[ \\t]*=[ \\t]*`, 'm').exec(text.slice(start, end));
  const replace = (from: number, to: number, inserted: string): Splice[] => [
    { at: from, removed: text.slice(from, to), inserted },
  ];
  if (value === undefined) {
    if (found === null) return [];
    const line = start + found.index;
    const before = text.slice(0, line).endsWith('\r\n') ? line - 2 : line - 1;
    return replace(before, endOfTomlValue(text, line + found[0].length), '');
  }
  const written = Array.isArray(value) ? `[${value.map(tomlString).join(', ')}]` : tomlString(value);
  // In a file with CRLF, the carriage return of the header is in front.
  const added = `\n${member} = ${written}${header[0].endsWith('\r') ? '\r' : ''}`;
  if (found === null) return replace(start, start, added);
  const from = start + found.index + found[0].length;
  return replace(from, endOfTomlValue(text, from), written);
}

/** A basic string of TOML has the escapes of JSON. */
const tomlString = (value: unknown): string => JSON.stringify(String(value));

/** Strings and lists of strings, also over several lines and with comments. */
function endOfTomlValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const each = text[at] ?? '';
    if (each === '"' || each === "'") {
      const close = new RegExp(each === '"' ? '"(?:[^"\\\\\\n]|\\\\.)*"' : "'[^'\\n]*'", 'y');
      close.lastIndex = at;
      const string = close.exec(text);
      if (string === null) return from;
      at += string[0].length - 1;
      if (depth === 0) return at + 1;
    } else if (each === '#') {
      const line = text.indexOf('\n', at);
      if (line === -1) return from;
      at = line;
    } else if (each === '[') depth++;
    else if (each === ']' && --depth === 0) return at + 1;
  }
  return from;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Sets or deletes an own member: `__proto__` is a name like any other. */
function put(holder: unknown, [first = '', ...rest]: readonly string[], value: unknown): void {
  if (typeof holder !== 'object' || holder === null) return;
  if (rest.length > 0) put(Object.getOwnPropertyDescriptor(holder, first)?.value, rest, value);
  else if (value === undefined) Reflect.deleteProperty(holder, first);
  else Object.defineProperty(holder, first, { value, enumerable: true, configurable: true, writable: true });
}
