import { basename } from 'node:path';
import { CliError, UsageError } from '../errors.js';
import { readCounted } from '../inputs/token-counter.js';
import { type CommandLine, commandOf, FIRST_POLICY, type RunnableCommand } from '../options/command-line.js';
import { initCommand, type Options } from '../options/generated/commands.js';
import { requireInput } from '../options/input-options.js';
import { newProject } from '../project/new-project.js';
import { firstPolicy, proposeFiles } from '../proposals/first-policy.js';
import { initServers, updateServers } from '../proposals/init-servers.js';
import { filesBeside, refuseToOverwrite, serverName } from '../proposals/policy-files.js';
import { updateFiles } from '../proposals/update-files.js';
import { catalogContents } from '../terminal/quantities.js';
import { writePolicy } from '../terminal/write-policy.js';

/**
 * @throws {CliError} if an argument is not valid, the input cannot be read, or a file exists already
 * @example
 * await command.run(['-o', 'policy.yaml', '--', 'node', 'server.js']);
 */
export const command: RunnableCommand = commandOf(initCommand(), act, (argv) =>
  // A project has a policy already, so only its update is about the project.
  argv.includes('--update') ? { policy: 'output', input: 'server' } : false,
);

async function act(line: CommandLine<[], Options['init']>): Promise<number | undefined> {
  const { values, command, terminal } = line;
  const input = requireInput(line);
  const output = values.output ?? FIRST_POLICY;
  if (output !== '-' && !/\.ya?ml$/.test(output)) {
    throw new UsageError(`-o takes a file that ends in .yaml, not "${output}"`);
  }
  const beside = filesBeside(output);
  const files = { ...beside, catalog: values.catalog ?? beside.catalog };
  const present = values.present === true;
  if (values.update === true) {
    if (output === '-' || values.force === true) {
      const option = output === '-' ? '-o -' : '--force';
      throw new UsageError(`--update edits the files of the policy, so ${option} has no meaning with it`);
    }
    if (input.from === 'servers') return updateServers(output, input, terminal, values.open, present);
    const [catalog, tokensOf] = await readCounted(input, terminal);
    const isGiven = input.from === 'catalog';
    const { texts, changes, notes } = updateFiles(files, [catalog, tokensOf], isGiven, values.open, present);
    writePolicy(changes, texts);
    terminal.note(notes);
    return 0;
  }
  if (input.from === 'servers') {
    if (output === '-') throw new CliError(TOO_LONG_FOR_STDOUT);
    return initServers(output, input, values.force === true, present, terminal);
  }
  if (output !== '-' && values.force !== true)
    refuseToOverwrite([
      ...[files.policy, files.tests, files.lock],
      ...(values.catalog === undefined ? [files.catalog] : []),
    ]);

  const read = await readCounted(input, terminal);
  const [catalog] = read;
  if (catalogContents(catalog) === catalogContents({})) {
    throw new CliError('The server lists nothing, so there is nothing to write a policy for.');
  }
  const server = serverName(catalog.server) ?? basename(values.catalog ?? values.url ?? command.join(' '));
  const proposed = proposeFiles(output, catalog, server, present);
  if (output === '-') {
    const [text = '', ...parts] = proposed.texts.values();
    if (parts.length > 0) throw new CliError(TOO_LONG_FOR_STDOUT);
    terminal.print(text);
    return 0;
  }
  const { texts, notes } = firstPolicy(files, proposed, read, values.catalog !== undefined);
  const project = newProject({ policy: files.policy, catalog: files.catalog });
  // A person who overwrites a policy asks for another one.
  writePolicy([], new Map([...texts, ...project.texts]));
  terminal.note([...notes, ...project.notes]);
}

const TOO_LONG_FOR_STDOUT =
  'The policy needs several files, so it cannot be written to stdout. Pass a file with -o.';
