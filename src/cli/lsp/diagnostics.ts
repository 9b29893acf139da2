import { relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Diagnostic } from 'vscode-languageserver';
import { findingPage } from '../../core/policy/language/finding-codes.js';
import type { Finding, Place } from '../../core/policy/language/findings.js';
import { SITE } from '../version.js';
import type { Failure } from './open-policy.js';

/** @returns what an editor shows of a finding, or of a failed test */
export const diagnosticOf = (found: Finding | Failure): Diagnostic => ({
  range: rangeOf(found),
  // Numbers of the protocol: 1 is an error, 2 a warning.
  severity: 'severity' in found && found.severity === 'warning' ? 2 : 1,
  ...('code' in found && { code: found.code }),
  ...('code' in found && SITE !== undefined && { codeDescription: { href: findingPage(found.code, SITE) } }),
  source: 'mcp-concerns',
  message: found.message,
});

/** @returns the range of a place, which an editor counts from zero */
export function rangeOf({ line, column, length }: Place): Diagnostic['range'] {
  const start = { line: line - 1, character: column - 1 };
  return { start, end: { line: line - 1, character: column - 1 + length } };
}

/** The path relative to the working folder, as the commands print it. */
export const fileOf = (uri: string): string => relative('', fileURLToPath(uri));

export const uriOf = (file: string): string => pathToFileURL(resolve(file)).href;
