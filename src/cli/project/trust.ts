import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CliError } from '../errors.js';
import { confirm } from '../terminal/confirm.js';
import { plain } from '../terminal/output.js';
import type { Project } from './read-project.js';
import { stateFolder } from './state-folder.js';

/**
 * Asks the person once whether a project file may do something that a stranger must not decide, and remembers a yes. A file
 * that changes, or moves, is a new one.
 *
 * @param project the file
 * @param action what the file does, after its name: `starts "node server.js"`
 * @throws {CliError} if the person says no, or there is no terminal to ask
 * @example
 * requireTrust({ path: '/home/me/mcp-concerns.config.yaml', text, file: 'mcp-concerns.config.yaml' }, 'starts "npx vault"');
 */
export function requireTrust(
  { path, text, file }: Pick<Project, 'path' | 'text' | 'file'>,
  action: string,
): void {
  const real = realpathSync(path);
  const digest = createHash('sha256').update(`${real}\0${text}`).digest('hex');
  const record = join(stateFolder(process.env), 'trusted', digest);
  if (existsSync(record)) return;
  const what = plain(`${file} ${action}`);
  if (!confirm(`${what}. Trust this file, as it is now?`)) {
    throw new CliError(
      `${what}, and you have not trusted this file. Read it, then answer "y" on a terminal, or pass --trust. --no-project ignores it.`,
    );
  }
  mkdirSync(dirname(record), { recursive: true, mode: 0o700 });
  // For people: the name of the record tells nobody what was trusted.
  writeFileSync(record, `${real}\n`, { mode: 0o600 });
}
