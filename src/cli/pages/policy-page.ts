import { claimName } from '../../engine/claims.js';
import type { ServerCatalog } from '../../engine/mapping.js';
import type { Concern, Policy } from '../../engine/policy.js';
import { groupBy } from '../../once.js';
import { KIND_NAMES } from '../../policy/language/kind-names.js';
import { billedBy } from '../inputs/billed-tokens.js';
import { FULL_CLIENT_CAPABILITIES } from '../inputs/generated/client-capabilities.js';
import type { CountedCatalog } from '../inputs/token-counter.js';
import { byServer, unavailableTexts } from '../reports/by-server.js';
import {
  type DecidedPrimitive,
  decideAll,
  type ListReport,
  shownOf,
  sumOf,
  weighCatalog,
} from '../reports/list-report.js';
import { NO_PREFERENCES, sampleConfigurations } from '../reports/sample-configurations.js';
import { escaped, table } from '../terminal/markdown.js';
import { count, nameValues } from '../terminal/output.js';
import { catalogContents, quantity } from '../terminal/quantities.js';
import { ENFORCEMENT, MATCH } from './generated/policy-page.js';

/** Names of primitives in one list of a page. A person does not read more. */
const MAX_NAMES = 60;

/**
 * Describes a policy for people who do not read YAML: its concerns and values, its presets, what each of them shows, and
 * what that costs.
 *
 * @param policy the policy
 * @param title the title of the page
 * @param counted the catalog of the server, and what counts its tokens; undefined without a server
 * @returns the page in Markdown, with a line break at its end
 * @example
 * writeFileSync('policy.md', policyPage(policy, 'vault', await readCounted(input, false)));
 */
export function policyPage(policy: Policy, title: string, counted: CountedCatalog | undefined): string {
  const [catalog, tokensOf] = counted ?? [];
  const weighed = catalog && tokensOf && weighCatalog(policy, catalog, billedBy(tokensOf));
  const samples = sampleConfigurations(policy, FULL_CLIENT_CAPABILITIES).map(
    ({ preferences, configuration }) => ({ preferences, report: decideAll(configuration, weighed ?? []) }),
  );
  const sampled = (preferences: string) => samples.filter((each) => each.preferences === preferences);
  const costs = (preferences: string): string[] =>
    weighed === undefined ? [] : sampled(preferences).flatMap(({ report }) => costsOf(report));
  const presets = [...policy.presets.keys()].flatMap((name) =>
    sampled(`preset=${name}`).map(({ report }) => ({ name, report })),
  );
  const costHead = weighed === undefined ? [] : ['Shows', 'Tokens'];
  const parts = [
    heading(1, title),
    escaped(introduction(policy, catalog)),
    heading(2, 'Presets'),
    rowsOf(
      ['Preset', 'Sets', ...costHead],
      [
        ['no preferences', 'nothing', ...costs(NO_PREFERENCES)],
        ...presets.map(({ name, report: { configuration } }) => [
          name,
          nameValues(configuration).join(', ') || 'nothing',
          ...costs(`preset=${name}`),
        ]),
      ],
    ),
    ...(weighed === undefined ? [] : presets.flatMap(shownBy)),
    heading(2, 'Concerns'),
    ...policy.concerns.flatMap((concern) => aboutConcern(concern, costHead, costs)),
    ...aboutRules(policy),
    ...unavailableTexts(catalog?.unavailable).map(escaped),
  ];
  return `${parts.join('\n\n')}\n`;
}

const heading = (level: number, text: string): string => `${'#'.repeat(level)} ${escaped(text)}`;

/** A table of plain texts. */
function rowsOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const texts = rows.map((cells) => cells.map(escaped));
  return table(head, texts).join('\n');
}

function introduction({ settings, concerns }: Policy, catalog: ServerCatalog | undefined): string {
  const about =
    catalog === undefined ? 'This policy' : `This policy is about ${catalogContents(catalog)}. It`;
  const unmapped = settings.unmapped === 'hide' ? 'hidden' : 'shown';
  return `${about} decides by ${quantity(concerns.length, 'concern')} which primitives a host is shown. What the policy does not map is ${unmapped}. ${ENFORCEMENT[settings.enforcement]}`;
}

function costsOf(report: ListReport): string[] {
  const { shown, total, tokens } = sumOf(report.all);
  return [`${count(shown)} of ${count(total)}`, count(tokens.shown)];
}

function shownBy({ name, report }: { readonly name: string; readonly report: ListReport }): string[] {
  return byServer(report.all).flatMap(([server, own]) => [
    heading(3, `What ${name} shows${server === undefined ? '' : ` of ${server}`}`),
    shownKinds(own).join('\n'),
  ]);
}

function shownKinds(own: readonly DecidedPrimitive[]): string[] {
  return [...groupBy(own, ({ kind }) => kind)].map(([kind, all]) => {
    const names = shownOf(all).map(({ name }) => name);
    const [, plural] = KIND_NAMES[kind];
    const more = names.length > MAX_NAMES ? `, and ${count(names.length - MAX_NAMES)} more` : '';
    return `- ${escaped(`${plural}: ${names.slice(0, MAX_NAMES).join(', ') || 'none'}${more}`)}`;
  });
}

function aboutConcern(
  concern: Concern,
  costHead: readonly string[],
  costs: (preferences: string) => string[],
): string[] {
  const { name, description, values, match, multiple, claim, valueDescriptions = {} } = concern;
  const isRange = 'min' in values;
  const sentences = [
    isRange ? rangeSentence(match, values.min, values.max) : MATCH[match],
    'What has no value for this concern is shown with every choice.',
    ...(multiple ? ['A host can choose several values, of which at least one must match.'] : []),
    ...(claim === undefined
      ? []
      : [`Hosts cannot set it: it comes from the verified claim ${claimName(claim)}.`]),
    ...(concern.default === undefined ? [] : [`The default is ${concern.default}.`]),
  ];
  const about = new Map(Object.entries(valueDescriptions));
  const meaning = (text = ''): string[] => (about.size === 0 ? [] : [text]);
  const all = isRange ? [values.min, values.max].map(String) : values;
  const rows = all.map((value) => [value, ...meaning(about.get(value)), ...costs(`${name}=${value}`)]);
  return [
    heading(3, name),
    ...(description === undefined ? [] : [escaped(description)]),
    escaped(sentences.join(' ')),
    rowsOf(['Value', ...meaning('Meaning'), ...costHead], rows),
  ];
}

function rangeSentence(match: Concern['match'], min: number, max: number): string {
  const side = match === 'at-least' ? 'at least' : match === 'at-most' ? 'at most' : 'exactly';
  return `A host chooses a number from ${min} to ${max}, and is shown what has ${side} this number.`;
}

function aboutRules({ rules }: Policy): string[] {
  if (rules.length === 0) return [];
  const rows = rules.map(({ id, effect, kinds, reason = '' }) => {
    const does = `${effect === 'hide' ? 'hides' : 'shows'} ${kinds.map((kind) => KIND_NAMES[kind][1]).join(', ')}`;
    return [id, does, reason];
  });
  return [
    heading(2, 'Rules'),
    escaped('Rules apply to all hosts, whatever they choose.'),
    rowsOf(['Rule', 'Does', 'Reason'], rows),
  ];
}
