import { pinsOf } from '../../../core/engine/pins.js';
import { byKind, KINDS, type Kind, type Pins } from '../../../core/engine/policy.js';
import { mayExist } from '../../../core/policy/check/servers/own-catalog.js';
import { lockFileOf, pinsBeside } from '../../../core/policy/compile/load.js';
import { writeLock } from '../../../core/policy/compile/lock.js';
import { compareDefinitions, type DefinitionChange } from '../../../core/policy/diff/compare-definitions.js';
import { CliError } from '../../errors.js';
import { catalogAt, catalogBeside } from '../../inputs/catalog-file.js';
import { readInput } from '../../inputs/read-input.js';
import { commandOf, type RunnableCommand } from '../../options/command-line.js';
import { pinCommand } from '../../options/generated/commands.js';
import { requireInput } from '../../options/input-options.js';
import { onePolicyOf } from '../../options/policy-option.js';
import { definitionLines } from '../../reports/diff/definitions.js';
import { quantity } from '../../terminal/quantities.js';
import { jsonText, writeOutput } from '../../terminal/write-output.js';

/**
 * @throws {CliError} if an argument is not valid, or the input cannot be read
 * @throws {PolicyFileError} if the policy does not exist, or its lock file is damaged
 * @example
 * await command.run(['--review', 'policy.yaml', '--', 'node', 'server.js']);
 */
export const command: RunnableCommand = commandOf(
  pinCommand(),
  async (line) => {
    const { values, terminal } = line;
    const paths = onePolicyOf(line);
    const input = requireInput(line);
    const pins = pinsBeside(paths);
    const catalog = await readInput(input, terminal);
    if (catalog.encoding !== undefined)
      throw new CliError(
        'This catalog has no descriptions and no schemas, so there is nothing to pin. Pass the server.',
      );
    if (catalog.isFiltered === true)
      throw new CliError(
        'The server filters its lists, so definitions would be missing. Pass the server without its filter.',
      );

    const [path = ''] = paths;
    const earlier = catalogAt(values.oldCatalog ?? catalogBeside(path));
    const listed = pinsOf(catalog);
    const isAbsent = (kind: Kind, name: string): boolean =>
      mayExist(catalog, kind, name) && !Object.hasOwn(listed[kind] ?? {}, name);
    // What a server or a list that does not answer has is neither gone nor reviewed again: its pins stay.
    const pinsIf = (isKept: boolean): Pins =>
      byKind((kind) => {
        const own = Object.entries(pins?.[kind] ?? {});
        return Object.fromEntries(own.filter(([name]) => isAbsent(kind, name) === isKept));
      });
    const kept = pinsIf(true);
    const changes = compareDefinitions(pinsIf(false), catalog, earlier);
    const text = values.format === 'json' ? jsonText(changes) : toText(changes, values.format);
    if (values.review === true) {
      terminal.print(text);
      return changes.length === 0 ? 0 : 1;
    }
    const lock = lockFileOf(path);
    const accepted = changes.flatMap(({ change, name }) => (change === 'gone' ? [] : [name]));
    if (pins !== undefined && accepted.length > 0) {
      const names = `${accepted.slice(0, 10).join(', ')}${accepted.length > 10 ? ` and ${accepted.length - 10} more` : ''}`;
      terminal.note(
        `This accepts the definitions of ${names}. With "changed: hide", they were hidden until now.`,
      );
    }
    writeOutput(lock, writeLock(byKind((kind) => ({ ...kept[kind], ...listed[kind] }))), terminal);
    if (pins !== undefined) terminal.print(text);
    const total = KINDS.reduce((sum, kind) => sum + (catalog[kind]?.length ?? 0), 0);
    terminal.note(`Wrote ${lock}: ${quantity(total, 'definition')}.`);
    // A catalog that init wrote has no definitions to pin.
  },
  () => ({ policy: 'policy', input: 'server' }),
);

function toText(changes: readonly DefinitionChange[], format: 'pretty' | 'markdown' | string): string {
  if (changes.length === 0) return 'Every definition is the pinned one.\n';
  const title = `${quantity(changes.length, 'definition')} changed since ${changes.length === 1 ? 'it was' : 'they were'} pinned`;
  const blocks = changes.map((each) => definitionLines(each).join('\n'));
  return format === 'markdown'
    ? `### ${title}\n\n\`\`\`text\n${blocks.join('\n').replaceAll('```', "'''")}\n\`\`\`\n`
    : `${title}\n\n${blocks.join('\n\n')}\n`;
}
