import type { CodeAction, Diagnostic, TextEdit } from 'vscode-languageserver';
import type { Finding, Fix } from '../../policy/language/findings.js';

/** A finding, and the diagnostic that the editor has of it. */
export interface ShownFinding {
  readonly finding: Finding;
  readonly diagnostic: Diagnostic;
}

/**
 * Offers what a person can do about findings: the fix, if the message names one, and for a warning a comment that silences
 * it.
 *
 * @param shown the findings at the position
 * @param uri the file
 * @param text the text of the file
 * @returns the actions, fixes first
 * @example
 * codeActions(shown, uri, text).map(({ title }) => title); // ['Replace with "high"']
 */
export function codeActions(shown: readonly ShownFinding[], uri: string, text: string): CodeAction[] {
  const lines = text.split('\n');
  const action = ({ diagnostic }: ShownFinding, isPreferred: boolean, title: string, edit: TextEdit) => ({
    title,
    kind: 'quickfix',
    diagnostics: [diagnostic],
    isPreferred,
    edit: { changes: { [uri]: [edit] } },
  });
  const fixes = shown.flatMap((each) => {
    const { fix } = each.finding;
    return fix === undefined ? [] : [action(each, true, titleOf(fix), editOf(fix))];
  });
  const comments = shown.flatMap((each) => {
    const { severity, code, line } = each.finding;
    if (severity !== 'warning' || code === 'unused-ignore' || code === 'bad-ignore') return [];
    const [indent = ''] = /^ */.exec(lines[line - 1] ?? '') ?? [];
    const start = { line: line - 1, character: 0 };
    const newText = `${indent}# mcp-concerns-ignore ${code}: write the reason here\n`;
    return [action(each, false, `Silence ${code} with a comment`, { range: { start, end: start }, newText })];
  });
  return [...fixes, ...comments];
}

const titleOf = ({ text }: Fix): string => (text === '' ? 'Remove it' : `Replace with ${text}`);

const editOf = ({ line, column, endLine, endColumn, text }: Fix): TextEdit => ({
  range: {
    start: { line: line - 1, character: column - 1 },
    end: { line: endLine - 1, character: endColumn - 1 },
  },
  newText: text,
});
