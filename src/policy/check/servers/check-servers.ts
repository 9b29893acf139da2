import { pathsOf } from '../../../engine/expression/expression.js';
import { parseExpression } from '../../../engine/expression/parse.js';
import { didYouMean } from '../../../engine/match/did-you-mean.js';
import { listNames } from '../../../engine/match/list-names.js';
import type { CompiledPolicy } from '../../../engine/policy.js';
import type { FindingCode } from '../../language/finding-codes.js';
import type { Finding } from '../../language/findings.js';
import { nearestReplacement, type Replacement, replacing } from '../../language/fixes.js';
import type { Path } from '../../language/read-yaml.js';
import { comparisons } from '../check-rule-names.js';
import type { CheckedFile, ConcernDeclaration } from '../check-values.js';
import {
  AGREED,
  agreedOf,
  concernsOf,
  type ServerEntry,
  type ServerPart,
  type SharedConcerns,
  sharedValue,
} from './server-parts.js';
import { sharePresets } from './shared-presets.js';

/** The policies of several servers, and the policy that joins them. */
interface Servers {
  readonly files: readonly CheckedFile[];
  /** The policy of the files, without the servers. */
  readonly top: CompiledPolicy;
  readonly parts: readonly ServerPart[];
  readonly shared: SharedConcerns;
}

/** A server that the policy of all servers has an entry for. */
type EnteredPart = ServerPart & { readonly entry: ServerEntry };

type Report = (
  severity: Finding['severity'],
  path: Path,
  code: FindingCode,
  message: string,
  replacement?: Replacement,
) => void;

/**
 * Checks that the policies of several servers fit each other. What a person has to decide is a finding, and nothing that one of
 * them says is left out in silence.
 *
 * @param servers the policies, each without errors of its own
 * @param known the servers that exist; `undefined` if only their entries are known
 * @returns the findings, all of them in the policy of all servers
 * @example
 * checkServers({ files, top, parts, shared }, ['files', 'git']);
 */
export function checkServers(servers: Servers, known: readonly string[] | undefined): Finding[] {
  const { files, parts, shared, top } = servers;
  const findings: Finding[] = [];
  const reportIn =
    (file: CheckedFile): Report =>
    (severity, path, code, message, replacement) => {
      const place = file.locate(path, 'key');
      findings.push({ ...place, severity, code, message, ...replacing(file.source, place, replacement) });
    };
  for (const file of files) checkServerNames(file, parts, reportIn(file));
  const entered = parts.filter((part): part is EnteredPart => part.entry !== undefined);
  for (const part of entered) {
    const { entry, slug } = part;
    const report = reportIn(entry.file);
    const path = ['servers', entry.key];
    if (known?.includes(slug) === false) {
      const message = `No server is called "${slug}" (${listNames(known)}).${didYouMean(slug, known)}`;
      report('warning', path, 'unknown-server', message, nearestReplacement(slug, known));
    }
    checkEntry(part, shared, report);
    for (const [name, own] of concernsOf(part)) {
      checkScale(part, name, own, shared, report);
      checkAgreement(part, entered, name, servers, report);
    }
    checkSettings(part, top, report);
    checkHierarchies(part, shared, report);
  }
  for (const { preset, concern, first, second } of sharePresets(top.presets, parts, shared).conflicts) {
    const message = `The preset "${preset}" sets ${concern} differently for ${first.slug} and ${second.slug}. Write the preset in this file.`;
    if (second.entry !== undefined)
      reportIn(second.entry.file)('error', ['servers', second.entry.key], 'conflicting-policies', message);
  }
  return findings;
}

/** A comparison with a server that does not exist is always false. */
function checkServerNames({ document }: CheckedFile, parts: readonly ServerPart[], report: Report): void {
  const slugs = parts.map(({ slug }) => slug);
  for (const section of ['assign', 'rules'] as const) {
    document[section]?.forEach(({ when }, index) => {
      for (const { literal } of comparisons(parseExpression(when).expression, SERVER)) {
        const name = String(literal.value);
        if (slugs.includes(name)) continue;
        const message = `"${name}" is not a server of this policy (${listNames(slugs)}), so this comparison is always false.${didYouMean(name, slugs)}`;
        const path = [section, index, 'when', ...literal.place];
        report('warning', path, 'unknown-server', message, nearestReplacement(name, slugs));
      }
    });
  }
}

const SERVER: ReadonlySet<string> = new Set(['primitive.server']);

/** Checks that what an entry names exists in the policy of the server, and here. */
function checkEntry(part: EnteredPart, { concerns, hierarchies }: SharedConcerns, report: Report): void {
  const { entry, files } = part;
  const path = ['servers', entry.key];
  const all = files.flatMap(({ document }) => Object.keys(document.concerns ?? {}));
  const unknown = (at: Path, name: string, names: readonly string[], what: FindingCode): void => {
    const message = `"${name}" is not one of ${listNames(names)}.${didYouMean(name, names)}`;
    report('error', at, what, message, nearestReplacement(name, names));
  };
  entry.concerns?.forEach((name, index) => {
    if (!all.includes(name)) unknown([...path, 'concerns', index], name, all, 'unknown-concern');
  });
  for (const [name, map] of entry.map) {
    const at = [...path, 'map', name];
    const own = concernsOf(part).get(name);
    const values = concerns.get(name)?.values;
    if (own === undefined) unknown(at, name, [...concernsOf(part).keys()], 'unknown-concern');
    else if (hierarchies.has(name) || 'min' in own.values || values === undefined || 'min' in values) {
      const message = `A map needs a list of values on both sides. Declare ${name} with such a list in this file, or remove the map.`;
      report('error', at, 'scale-mismatch', message);
    } else {
      for (const [value, target] of map) {
        if (!own.values.includes(value)) unknown([...at, value], value, own.values, 'unknown-value');
        else if (!values.includes(target)) unknown([...at, value], target, values, 'unknown-value');
      }
    }
  }
}

/** Checks that the values of a concern of one server have a place in the shared concern, in the same order. */
function checkScale(
  part: EnteredPart,
  name: string,
  own: ConcernDeclaration,
  shared: SharedConcerns,
  report: Report,
): void {
  const to = shared.concerns.get(name);
  const path = ['servers', part.entry.key];
  const mismatch = (why: string, what: string): void =>
    report('error', path, 'scale-mismatch', `${name} of ${part.slug} ${why}. ${what}`);
  const leave = `leave it out with servers.${part.entry.key}.concerns`;
  if (to === undefined) return;
  if (shared.hierarchies.has(name)) {
    const isTree = !('min' in own.values) && own.match !== 'at-least' && own.match !== 'at-most';
    if (!isTree) mismatch('has an order, but its values here are servers', `Rename it there, or ${leave}.`);
    return;
  }
  const [here, there] = [comparedBy(to), comparedBy(own)];
  if (here !== there)
    return mismatch(`is a ${there}, but a ${here} here`, `Change one of them, or ${leave}.`);
  if ('min' in own.values || 'min' in to.values) {
    const fits =
      'min' in own.values &&
      'min' in to.values &&
      own.values.min >= to.values.min &&
      own.values.max <= to.values.max;
    if (!fits) mismatch('has other numbers than here', `Declare ${name} with a range for all in this file.`);
    return;
  }
  const { values } = to;
  const places = own.values.map((value) => values.indexOf(sharedValue(part, shared, name, value)));
  const missing = own.values.filter(
    (value, index) => places[index] === -1 && part.entry.map.get(name)?.has(value) !== true,
  );
  if (missing.length > 0) {
    const map = missing.map((value) => `${value}: ...`).join(', ');
    return mismatch(
      `has the values ${missing.join(', ')}, which are not values here (${listNames(values)})`,
      `Write what they mean here, map: { ${name}: { ${map} } }, or ${leave}.`,
    );
  }
  if (places.includes(-1)) return;
  const turn = places.findIndex((place, index) => place < (places[index - 1] ?? 0));
  if (turn !== -1 && (own.match === 'at-least' || own.match === 'at-most')) {
    const message = `${own.values[turn - 1]} comes before ${own.values[turn]} in ${name} of ${part.slug}, but after it here, so a switch would show other primitives than it does there. Map them in the same order.`;
    report('error', [...path, 'map', name], 'map-order', message);
  }
}

/** Everything but the values that decides what a preference shows. */
function comparedBy({ values, match, multiple }: ConcernDeclaration): string {
  if ('min' in values) return `range with match: ${match ?? 'at-most'}`;
  return `list with match: ${match ?? 'exact'}${multiple === true ? ' and multiple: true' : ''}`;
}

/** Policies that say different things about one concern need a person who decides. */
function checkAgreement(
  part: EnteredPart,
  parts: readonly EnteredPart[],
  name: string,
  { files, shared }: Servers,
  report: Report,
): void {
  const [first] = parts.filter((each) => concernsOf(each).has(name));
  const written = files.flatMap(({ document }) => Object.entries(document.concerns ?? {}));
  const here = new Map(written).get(name);
  const agreed = (each: EnteredPart, key: (typeof AGREED)[number]): string | undefined => {
    const concern = concernsOf(each).get(name);
    return concern && JSON.stringify(agreedOf(each, name, concern)[key]);
  };
  for (const key of AGREED) {
    // The default of one server would limit all others.
    const other = shared.hierarchies.has(name) ? undefined : first && agreed(first, key);
    const own = agreed(part, key);
    if (own === other || here?.[key] !== undefined) continue;
    const text = (value: string | undefined): string => value ?? 'not set';
    const message = `${key} of ${name} is ${text(own)} for ${part.slug}, but ${text(other)} for ${first === part ? 'all servers together' : first?.slug}. Declare ${name} with its ${key} in this file.`;
    report('error', ['servers', part.entry.key], 'conflicting-policies', message);
  }
}

/** Settings belong to the endpoint, but for `unmapped`. Protection that a policy has alone must not get lost. */
function checkSettings({ files, entry, slug }: EnteredPart, top: CompiledPolicy, report: Report): void {
  const here = new Map<string, unknown>(Object.entries(top.settings));
  for (const [name, value] of files.flatMap(({ document }) => Object.entries(document.settings ?? {}))) {
    const ours = here.get(name.replace(/-./g, (dash) => dash.slice(1).toUpperCase()));
    if (name === 'unmapped' || JSON.stringify(ours) === JSON.stringify(value)) continue;
    const message = `settings.${name} of ${slug} is ${JSON.stringify(value)}, but settings of one server do not apply. Write it into settings of this file if all servers need it.`;
    const severity = value === 'enforce' ? 'error' : 'warning';
    report(severity, ['servers', entry.key], 'policy-setting', message);
  }
}

function checkHierarchies(
  { entry, slug, policy }: EnteredPart,
  { hierarchies }: SharedConcerns,
  report: Report,
): void {
  for (const { id, when } of policy?.rules ?? []) {
    const concern = pathsOf(parseExpression(when).expression).find((path) =>
      hierarchies.has(path.replace('concerns.', '')),
    );
    if (concern === undefined) continue;
    const message = `The rule "${id}" of ${slug} compares ${concern}, whose values here are servers and what is below them. Give the primitives a value for the concern instead.`;
    report('error', ['servers', entry.key], 'within-compared', message);
  }
}
