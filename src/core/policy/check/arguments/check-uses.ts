import { canSeparate, hiddenBetween } from '../../../analysis/analyze.js';
import { identityOf, type Mapping, type Primitive } from '../../../engine/mapping.js';
import { didYouMean } from '../../../engine/match/did-you-mean.js';
import { compileGlob } from '../../../engine/match/glob.js';
import { listNames } from '../../../engine/match/list-names.js';
import { mapListed } from '../../../engine/pins.js';
import { argumentsOf, type DeclaredArgument } from '../../../engine/uses/domain.js';
import { boundArgument } from '../../../engine/uses/policy-uses.js';
import { samplesOf } from '../../../engine/uses/remaining.js';
import { isInvented, REST, UNNAMED } from '../../../engine/uses/texts-left.js';
import {
  isWildcard,
  mappingsOf,
  type PolicyArgument,
  prefixOf,
  type ToolUses,
  usesOf,
} from '../../../engine/uses/tool-uses.js';
import { parseUse, type Scalar, type UseName } from '../../../engine/uses/use-name.js';
import { type Problem, problem } from '../../language/problem.js';
import type { CatalogCheck } from '../catalog-places.js';
import { textRead } from '../check-texts.js';
import { type PolicyPart, reportsIn } from '../check-values.js';
import { mayExist } from '../servers/own-catalog.js';

/**
 * Checks what a policy says about uses of tools against the tools of the server: names that are about no call, values that cannot be
 * decided, texts that another spelling avoids, and schemas that allow more than calls may send.
 */
export function checkUses(
  check: CatalogCheck & { readonly catalog: { readonly encoding?: string | undefined } },
): void {
  const { policy, catalog } = check;
  const tools = catalog.tools ?? [];
  // A catalog of facts keeps no schemas but those of actions.
  const isUnknown = catalog.encoding !== undefined && textRead(policy, tools) !== undefined;
  if (!policy.isAboutArguments || isUnknown) return;
  if (catalog.isFiltered !== true) checkNames(check, tools);
  checkUnbound(check, tools);
  for (const tool of tools) {
    const uses = usesOf(policy, tool);
    for (const argument of uses?.arguments ?? [])
      if (uses !== undefined) checkArgument(check, uses, argument);
  }
}

function checkNames({ files, catalog, findings }: CatalogCheck, tools: readonly Primitive[]): void {
  for (const file of files) {
    for (const section of ['patterns', 'primitives'] as const) {
      for (const name of Object.keys(file.document[section]?.tools ?? {})) {
        const use = parseUse(name);
        if (use === undefined || mayExist(catalog, 'tools', use.tool)) continue;
        const found = deadName(name, use, section === 'patterns', tools);
        if (found !== undefined) reportsIn(file, findings).warn([section, 'tools', name], found, 'key');
      }
    }
  }
}

/** @returns what is wrong with a name that is about no call of any tool */
function deadName(
  name: string,
  { tool, argument, value }: UseName,
  isPattern: boolean,
  tools: readonly Primitive[],
): Problem | undefined {
  const matches = (pattern: string) =>
    isPattern ? compileGlob(pattern) : (text: string) => text === pattern;
  const named = tools.filter((each) => matches(tool)(identityOf('tools', each)));
  if (named.length === 0) {
    if (isPattern) return problem('dead-entry.pattern', { noun: 'tool', name });
    const names = tools.map((each) => identityOf('tools', each));
    return problem('dead-entry.entry', { noun: 'tool', name: tool, hint: didYouMean(tool, names) });
  }
  const declared = named.flatMap((each) => argumentsOf(each));
  const own = declared.filter((each) => matches(argument)(each.name));
  if (own.length === 0) {
    const names = [...new Set(declared.map((each) => each.name))];
    return problem('dead-entry.argument', { name, argument, hint: didYouMean(argument, names) });
  }
  if (value === undefined || own.some((each) => canSend(each, value, isPattern))) return undefined;
  const known = [
    ...new Set(own.flatMap(({ domain }) => (domain.type === 'closed' ? domain.values.map(String) : []))),
  ];
  const hint = didYouMean(value, known);
  const listed = known.length === 0 ? 'it takes a number' : listNames(known);
  return problem('dead-entry.value', { name, argument, known: listed, hint });
}

/** Whether some call can make the use that a name is about. */
function canSend({ domain, isRequired }: DeclaredArgument, value: string, isPattern: boolean): boolean {
  if (value === '' || value === '*') return value === '*' || !isRequired || domain.type === 'text';
  switch (domain.type) {
    case 'closed':
      return domain.values.some((each) =>
        isPattern ? compileGlob(value)(String(each)) : String(each) === value,
      );
    case 'number':
      return String(Number(value)) === value;
    default:
      return true;
  }
}

/** How many names one message has. */
const MAX_NAMED = 10;

/** Says what calls can reach that nothing bound limits: tools without the arguments, and arguments with names like theirs. */
function checkUnbound({ files, policy, findings }: CatalogCheck, tools: readonly Primitive[]): void {
  const file = files.find(({ document }) => document.bind !== undefined);
  if (policy.binds.length === 0 || file === undefined) return;
  const named = (names: readonly string[]): string =>
    `${names.slice(0, MAX_NAMED).join(', ')}${names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : ''}`;
  const all = tools.map((tool) => ({ tool, name: identityOf('tools', tool), uses: usesOf(policy, tool) }));
  const isBound = (uses: ToolUses | undefined): boolean =>
    uses?.arguments.some(({ bound }) => bound.length > 0) === true;
  const free = all.filter(
    ({ tool, uses }) =>
      !isBound(uses) && policy.settings.unmapped === 'show' && !mapListed(policy, 'tools', tool).mapped,
  );
  const alike = all.flatMap(({ name, uses }) => {
    if (uses === undefined || !isBound(uses)) return [];
    const decided = new Set(uses.arguments.map((argument) => argument.name));
    const bound = uses.arguments.flatMap((argument) => (argument.bound.length > 0 ? [argument.name] : []));
    const others = [...uses.declared].filter(
      (each) => !decided.has(each) && bound.some((one) => isLike(each, one)),
    );
    return others.map((each) => `${name}(${each})`);
  });
  const what = [
    ...(free.length === 0
      ? []
      : [`tools that have no bound argument (${free.length}): ${named(free.map(({ name }) => name))}`]),
    ...(alike.length === 0 ? [] : [`arguments with a similar name (${alike.length}): ${named(alike)}`]),
  ];
  if (what.length > 0)
    reportsIn(file, findings).warn(['bind'], problem('unbound', { what: what.join('; ') }), 'key');
}

const isLike = (name: string, bound: string): boolean => {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');
  return plain(name).includes(plain(bound));
};

function checkArgument(check: CatalogCheck, uses: ToolUses, argument: PolicyArgument): void {
  const { name, domain, isUndecidable, valued } = argument;
  const report = (found: Problem): void => {
    const { file, path } = placeOf(check, uses, argument);
    reportsIn(file, check.findings).warn(path, found, 'key');
  };
  if (isUndecidable && argument.bound.length > 0) {
    report(problem('bind-unfit', { tool: uses.tool, argument: name }));
    return;
  }
  if (argument.bound.length > 0) return;
  if (isUndecidable) {
    const why =
      domain.type === 'text'
        ? 'a pattern has "*" elsewhere than at its end'
        : 'its schema has no such values';
    report(problem('argument-undecided', { tool: uses.tool, argument: name, why }));
    return;
  }
  const ways = (value: Scalar): readonly Mapping[] => mappingsOf(uses, argument, value);
  const samples = samplesOf(argument);
  if (!argument.isRequired && argument.rules.length > 0 && !valued.some(isAboutNone)) {
    const absent = mappingsOf(uses, argument, undefined);
    const hidden = samples.find((value) => canSeparate(check.policy, absent, ways(value)));
    if (hidden !== undefined && argument.byDefault === undefined)
      report(problem('unset-argument', { tool: uses.tool, argument: name, value: JSON.stringify(hidden) }));
  }
  if (domain.type === 'text') {
    const others = samples.filter((value) => typeof value === 'string' && value.startsWith(UNNAMED));
    const named = samples.filter((value) => !others.includes(value) && value !== '' && !isInvented(value));
    // With a pattern for all other texts, the author has said what they mean.
    const areOthersNamed = valued.some((each) => each.isPattern && each.value === '*');
    const open = areOthersNamed
      ? undefined
      : named.find((value) => others.some((other) => canSeparate(check.policy, ways(other), ways(value))));
    if (open !== undefined)
      report(problem('open-argument', { tool: uses.tool, argument: name, value: JSON.stringify(open) }));
    const prefixes = valued.flatMap((each) => (isWildcard(each) ? (prefixOf(each) ?? []) : []));
    const cut = named.find((value) =>
      prefixes.some(
        (prefix) =>
          String(value).startsWith(prefix) &&
          canSeparate(check.policy, ways(`${prefix}${REST}`), ways(value)),
      ),
    );
    if (cut !== undefined)
      report(problem('schema-inexact', { tool: uses.tool, argument: name, value: JSON.stringify(cut) }));
  }
  if (domain.type === 'number') {
    const numbers = samples.filter((value) => typeof value === 'number');
    const at = hiddenBetween(check.policy, numbers.map(ways));
    const between = at === undefined ? undefined : numbers[at];
    if (between !== undefined)
      report(problem('schema-inexact', { tool: uses.tool, argument: name, value: JSON.stringify(between) }));
  }
}

/** Whether a name says what a call means that leaves the argument out. */
const isAboutNone = ({ isPattern, value }: PolicyArgument['valued'][number]): boolean =>
  value === '' || (isPattern && value === '*');

/** The first name that is about the values of the argument, else the section of tools. */
function placeOf(
  { files }: CatalogCheck,
  uses: ToolUses,
  { valued, given, name }: PolicyArgument,
): PolicyPart {
  const names = new Set([...valued, ...given].map((each) => each.name));
  for (const file of files) {
    for (const section of ['patterns', 'primitives'] as const) {
      const found = Object.keys(file.document[section]?.tools ?? {}).find((each) => names.has(each));
      if (found !== undefined) return { file, path: [section, 'tools', found] };
    }
    const bound = Object.keys(file.document.bind ?? {}).find((each) => boundArgument(each).argument === name);
    if (bound !== undefined) return { file, path: ['bind', bound] };
    const rule = file.document.rules?.findIndex(({ when }) =>
      JSON.stringify(when).includes(`"arguments.${name}"`),
    );
    if (rule !== undefined && rule >= 0) return { file, path: ['rules', rule, 'id'] };
  }
  const [file] = files;
  if (file === undefined) throw new TypeError(`The policy that is about ${uses.tool} has no file.`);
  return { file, path: ['version'] };
}
