import type { CodeAction, TextEdit } from 'vscode-languageserver';
import type { Finding, Fix } from '../../core/policy/language/findings.js';
import { diagnosticOf } from './diagnostics.js';

/**
 * Offers what a person can do about findings: the fix, if the message names one, and for a warning a comment that silences
 * it.
 *
 * @param findings the findings at the position
 * @param uri the file
 * @param text the text of the file
 * @returns the actions, fixes first
 * @example
 * codeActions(findings, uri, text).map(({ title }) => title); // ['Replace with "high"']
 */
export function codeActions(findings: readonly Finding[], uri: string, text: string): CodeAction[] {
  const lines = text.split('\n');
  const action = (finding: Finding, isPreferred: boolean, title: string, edit: TextEdit) => ({
    title,
    kind: 'quickfix',
    diagnostics: [diagnosticOf(finding)],
    isPreferred,
    edit: { changes: { [uri]: [edit] } },
  });
  const fixes = findings.flatMap((each) =>
    each.fix === undefined ? [] : [action(each, true, titleOf(each.fix), editOf(each.fix))],
  );
  const comments = findings.flatMap((each) => {
    const { severity, code, line } = each;
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
