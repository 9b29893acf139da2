import { preparePolicy } from '../../core/engine/policy.js';
import { findingPage } from '../../core/policy/language/finding-codes.js';
import { writeFindings } from '../../core/policy/language/finding-formats.js';
import type { Finding } from '../../core/policy/language/findings.js';
import { paragraph } from '../../core/policy/language/wrapped.js';
import { UsageError } from '../errors.js';
import { checkFiles } from '../inputs/check-files.js';
import { fixFiles } from '../inputs/fix-files.js';
import { readInput } from '../inputs/read-input.js';
import { knownServers } from '../inputs/several/known-servers.js';
import { repeatOnChange } from '../inputs/watch-files.js';
import { readClaims } from '../options/claims-file.js';
import { commandOf, type RunnableCommand } from '../options/command-line.js';
import { checkCommand } from '../options/generated/commands.js';
import { parseInput } from '../options/input-options.js';
import { policiesOf } from '../options/policy-option.js';
import { scopesOfTools, scopesText } from '../reports/scopes-text.js';
import { findingsText } from '../terminal/findings-text.js';
import { catalogContents, quantity } from '../terminal/quantities.js';
import { SITE } from '../version.js';

/**
 * @throws {CliError} if an argument is not valid, or a file or the input cannot be read
 * @example
 * await command.run(['policies', '--format', 'json']);
 */
export const command: RunnableCommand = commandOf(checkCommand(), async (line) => {
  const { values, terminal } = line;
  const { format } = values;
  const policies = policiesOf(line);
  const input = parseInput(line);
  if (values.watch === true && values.fix === true) {
    throw new UsageError('--fix changes the files that --watch watches. Pass one of them');
  }

  // A server is asked once. A catalog file is read again, because it can change while it is watched.
  const readCatalog = async () => input && readInput(input, terminal);
  let catalog = await readCatalog();
  const servers = await knownServers(values.servers, terminal.env);
  if (values.fix === true) terminal.note(fixFiles(policies, catalog, values.open));
  const checkAll = (): { readonly failed: boolean; readonly texts: ReadonlyMap<string, string> } => {
    const callers = new Map(values.claims?.map((file) => [file, { claims: new Map(readClaims(file)) }]));
    const { findings, silenced, texts, compiled } = checkFiles(policies, catalog, callers, servers);
    const failed = findings.some(({ severity }) => severity === 'error' || values.denyWarnings === true);
    const against = catalog === undefined ? 'without a server' : `against ${catalogContents(catalog)}`;
    const summary = `${countsOf(findings)} in ${quantity(policies.length, 'policy', 'policies')}, checked ${against}.`;
    const about = callers.size === 0 ? new Map([['a caller without scopes', { scopes: [] }]]) : callers;
    const scopes = compiled.map((each) => scopesOfTools(preparePolicy(each), catalog?.tools ?? [], about));
    if (format === 'pretty') {
      const text = findingsText(findings, texts, terminal.paper);
      if (text !== '') terminal.print(`${text}\n\n`);
      for (const found of scopes) terminal.print(scopesText(found, terminal.paper));
      const style = failed ? 'red' : findings.length > 0 ? 'magenta' : 'green';
      const lines = paragraph(summary, terminal.paper.width ?? Number.POSITIVE_INFINITY);
      if (!terminal.quiet)
        terminal.print(`${lines.map((line) => terminal.paper.paint(style, line)).join('\n')}\n`);
      // Terminals make a URL a link. Each code has one, however many findings there are.
      for (const code of new Set(findings.map((each) => each.code)))
        if (SITE !== undefined && !terminal.quiet) terminal.print(`${findingPage(code, SITE)}\n`);
    } else {
      const text =
        format === 'json' && scopes.flat().length > 0
          ? JSON.stringify({ findings, scopes: scopes.flat() }, null, 2)
          : writeFindings(findings, texts, format, silenced, SITE);
      if (text !== '') terminal.print(`${text}\n`);
      if (format === 'github') terminal.note(summary);
    }
    return { failed, texts };
  };
  if (values.watch !== true) return checkAll().failed ? 1 : 0;
  const { catalog: file } = values;
  return repeatOnChange(async () => {
    if (file !== undefined) catalog = await readCatalog();
    return [...checkAll().texts.keys(), ...(file === undefined ? [] : [file])];
  }, terminal);
});

function countsOf(findings: readonly Finding[]): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const warnings = findings.length - errors;
  const counts = Object.entries({ error: errors, warning: warnings }).filter(([, number]) => number > 0);
  return counts.map(([word, number]) => quantity(number, word)).join(' and ') || 'No findings';
}
