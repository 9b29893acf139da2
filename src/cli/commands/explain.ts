import type { ServerCatalog } from '../../engine/mapping.js';
import { IDENTITY, identityOf, type Primitive } from '../../engine/mapping.js';
import { nearest } from '../../engine/match/nearest.js';
import { KINDS, type Kind, type Policy } from '../../engine/policy.js';
import { CliError, UsageError } from '../errors.js';
import { checkSource, hasSource, readSource, splitCommand } from '../options/input-options.js';
import { oneOf, readArguments } from '../options/arguments.js';
import { readCommon } from '../options/common.js';
import { checkPaths, QUESTION_OPTIONS, questionHelp, readQuestion } from '../inputs/policy-and-configuration.js';
import { explainPrimitive } from '../reports/explanation.js';
import { explanationToText } from '../reports/explanation-text.js';
import { originsOf } from '../reports/configuration-origins.js';
import { plain } from '../terminal/output.js';

export const help = `Usage: mcp-concerns explain NAME --policy PATH [options] [SOURCE]

Says why a tool, prompt, resource or template is shown or hidden: each concern,
each rule with its values, and the smallest change that turns it around.
Without a source, NAME is what the policy maps; annotations are unknown then.

${questionHelp('  --format FORMAT       pretty (default) or json')}

Exit codes: 0 explained; 2 bad arguments, policy or source, or unknown NAME.

Example:
  mcp-concerns explain deleteKey --policy policies/vault.yaml \\
      --concern environment=production
`;

/**
 * @param argv what stands after `explain`
 * @returns the exit code
 * @throws {CliError} if an argument, the policy or the source is no good, or nothing has that name
 */
export async function run(argv: string[]): Promise<number> {
  const [own, command] = splitCommand(argv);
  const { values, positionals } = readArguments('explain', own, QUESTION_OPTIONS);
  const common = readCommon('explain', values);
  const format = oneOf('explain', '--format', values.format ?? 'pretty', ['pretty', 'json'] as const);
  const [name, unexpected] = positionals;
  if (name === undefined) throw new UsageError('explain', 'There is no NAME to explain');
  if (unexpected !== undefined) throw new UsageError('explain', `"${unexpected}" is unexpected: one NAME`);
  const paths = checkPaths('explain', values.policy);
  const asked = hasSource(values, command) || values.header !== undefined;
  if (asked) checkSource(values, command, 'explain');

  const { policy, wish } = readQuestion(paths, values, 'nothing was explained', common);
  const { configuration, caller } = wish;
  const found = asked
    ? inSurface(await readSource(values, command, 'explain'), name)
    : inPolicy(policy, name);

  const origins = originsOf(policy, paths, values, wish);
  const explanations = found.map(({ kind, primitive }) =>
    explainPrimitive(policy, kind, primitive, { configuration, caller, origins }),
  );
  if (format === 'json') {
    process.stdout.write(`${JSON.stringify({ name, source: asked, primitives: explanations }, null, 2)}\n`);
    return 0;
  }
  const texts = explanations.map((each) => explanationToText(policy, each, common.paper));
  process.stdout.write(texts.join('\n'));
  if (!asked && readsMore(policy)) {
    common.note('note: without a source, annotations and tags count as absent for rules and assign.');
  }
  return 0;
}

/** Whether rules or `assign` look at more of a primitive than its name. */
function readsMore({ rules, assigns }: Policy): boolean {
  return (
    assigns.length > 0 ||
    rules.some(({ paths }) => paths.some((path) => /^primitive\.(?!(kind|name|uri)$)/.test(path)))
  );
}

interface Found {
  readonly kind: Kind;
  readonly primitive: Primitive;
}

/** Several kinds may hold one name. */
function inSurface(surface: ServerCatalog, name: string): Found[] {
  const found = KINDS.flatMap((kind) =>
    (surface[kind] ?? [])
      .filter((item) => identityOf(kind, item) === name)
      .map((primitive) => ({ kind, primitive })),
  );
  if (found.length > 0) return found;
  const names = KINDS.flatMap((kind) => (surface[kind] ?? []).map((item) => identityOf(kind, item)));
  throw unknownName(name, names, 'The source', 'mcp-concerns list shows its names');
}

/** What a policy maps by name, pattern or template; nobody knows whether a server has it. */
function inPolicy(policy: Policy, name: string): Found[] {
  const entered = KINDS.filter((kind) => policy.entries[kind].has(name));
  const covered = KINDS.filter(
    (kind) =>
      // A name is no URI, whatever a pattern of URIs covers.
      (kind === 'tools' || kind === 'prompts') !== name.includes('://') &&
      (policy.patterns[kind].some(({ matches }) => matches(name)) ||
        (kind === 'resources' && policy.covering.some(({ matches }) => matches(name)))),
  );
  const kinds = entered.length > 0 ? entered : covered;
  if (kinds.length > 0) return kinds.map((kind) => ({ kind, primitive: { [IDENTITY[kind]]: name } }));
  const names = KINDS.flatMap((kind) => [...policy.entries[kind].keys()]);
  throw unknownName(name, names, 'The policy', 'give a source to explain what it does not map');
}

const MAX_NAMES = 3;

function unknownName(name: string, names: readonly string[], where: string, otherwise: string): CliError {
  const near = nearestNames(name, new Set(names)).map((each) => `"${plain(each)}"`);
  const last = near.pop();
  const hint =
    last === undefined
      ? otherwise
      : `did you mean ${near.length === 0 ? '' : `${near.join(', ')} or `}${last}?`;
  const end = hint.endsWith('?') ? '' : '.';
  return new CliError(`${where} has no "${plain(name)}"; ${hint}${end}`);
}

/** Misspelt names first; then names of which it is a part, or that are a part of it. */
function nearestNames(name: string, names: Set<string>): string[] {
  const found: string[] = [];
  for (let near = nearest(name, names); near !== undefined; near = nearest(name, names)) {
    found.push(near);
    names.delete(near);
    if (found.length === MAX_NAMES) return found;
  }
  const small = name.toLowerCase();
  const partly = [...names].filter((each) => small.length > 2 && each.toLowerCase().includes(small));
  return [...found, ...partly].slice(0, MAX_NAMES);
}
