import { IDENTITY, type Primitive, type ServerCatalog } from '../../core/engine/mapping.js';
import { didYouMean } from '../../core/engine/match/did-you-mean.js';
import { KINDS, type Kind, type Policy } from '../../core/engine/policy.js';
import { insideName, outsideEntry } from '../../core/engine/servers/outside-names.js';
import { listedIn } from '../../core/engine/uses/use-primitives.js';
import { CliError } from '../errors.js';
import { readPolicyAndConfiguration } from '../inputs/policy-and-configuration.js';
import { policyFor } from '../inputs/primitive-facts.js';
import { readInput } from '../inputs/read-input.js';
import { commandOf, type RunnableCommand } from '../options/command-line.js';
import { explainCommand } from '../options/generated/commands.js';
import { parseInput } from '../options/input-options.js';
import { originsOf } from '../reports/configuration-origins.js';
import { explainPrimitive } from '../reports/explanation.js';
import { explanationToText } from '../reports/explanation-text.js';
import { plain } from '../terminal/output.js';
import { joined } from '../terminal/quantities.js';
import { writeJson } from '../terminal/write-output.js';

/**
 * @throws {CliError} if an argument is not valid, the policy has errors, the input cannot be read, or the name is unknown
 * @example
 * await command.run(['policies/vault.yaml', 'deleteKey']);
 */
export const command: RunnableCommand = commandOf(explainCommand(), async (line) => {
  const { values, terminal } = line;
  const name = line.positionals[0].at(-1) ?? '';

  const { paths, policy, resolved } = await readPolicyAndConfiguration(line, 'nothing was explained');
  const input = parseInput(line);
  const { configuration, caller } = resolved;
  const catalog = input && (await readInput(input, terminal));
  const found = catalog ? inCatalog(policy, catalog, name) : inPolicy(policy, name);

  const origins = originsOf(paths, values, resolved);
  const explanations = found.map(({ kind, primitive }) =>
    explainPrimitive(policyFor(policy, catalog), kind, primitive, { configuration, caller, origins }),
  );
  if (values.format === 'json') {
    writeJson({ name, source: input !== undefined, primitives: explanations }, terminal);
    return 0;
  }
  const texts = explanations.map((each) => explanationToText(policy, each, terminal.paper));
  terminal.print(texts.join('\n'));
  if (input === undefined && policy.rules.length + policy.assigns.length > 0) {
    terminal.note('note: without an input, annotations and tags are unknown, so rules and assign see none.');
  }
});

/** @returns the primitives with this name: several kinds may have the same name */
function inCatalog(policy: Policy, catalog: ServerCatalog, name: string) {
  const listed = listedIn(policy, catalog);
  const found = listed.filter((each) => each.name === name);
  if (found.length > 0) return found;
  const names = listed.map((each) => each.name);
  throw unknownName(name, names, 'The input', 'Run "mcp-concerns list" to see its names.');
}

/** @returns the primitives that the policy maps by this name, by a pattern or a template; the server may not have them */
function inPolicy(policy: Policy, name: string): { kind: Kind; primitive: Primitive }[] {
  const entered = KINDS.filter((kind) => policy.entries[kind].has(name));
  const covered = KINDS.filter(
    (kind) =>
      // Patterns of URIs must not match the name of a tool or a prompt.
      (kind === 'tools' || kind === 'prompts') !== name.includes('://') &&
      (policy.patterns[kind].some(({ matches }) => matches(name)) ||
        (kind === 'resources' && policy.covering.some(({ matches }) => matches(name)))),
  );
  const kinds = entered.length > 0 ? entered : covered;
  if (kinds.length > 0) return kinds.map((kind) => ({ kind, primitive: bare(policy, kind, name) }));
  const names = KINDS.flatMap((kind) => [...policy.entries[kind].keys()]);
  throw unknownName(
    name,
    names,
    'The policy',
    'Pass an input (--catalog, --url or a command) to explain unmapped primitives.',
  );
}

/** If the policy knows servers, a name that begins with one is read as the name of its primitive. */
function bare({ concerns, rules }: Policy, kind: Kind, name: string): Primitive {
  const part = insideName(kind, name);
  const knowsServers =
    rules.some(({ paths }) => paths.includes('primitive.server')) ||
    concerns.some(({ values }) => !('min' in values) && values.includes(part?.slug ?? ''));
  return part === undefined || !knowsServers
    ? { [IDENTITY[kind]]: name }
    : outsideEntry(part.slug, kind, { [IDENTITY[kind]]: part.own });
}

/** So many names are suggested that contain what was written. */
const MAX_NAMES = 3;

function unknownName(name: string, names: readonly string[], where: string, advice: string): CliError {
  const partly = names.filter((each) => name.length > 2 && each.toLowerCase().includes(name.toLowerCase()));
  const some = partly.slice(0, MAX_NAMES).map((each) => `"${each}"`);
  const hint = some.length === 0 ? advice : `Did you mean ${joined(some, 'or')}?`;
  return new CliError(plain(`${where} has no "${name}".${didYouMean(name, names) || ` ${hint}`}`));
}
