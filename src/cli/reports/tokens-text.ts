import { isForPages } from '../../core/engine/companions.js';
import { IDENTITY, primitivesIn } from '../../core/engine/mapping.js';
import type { PolicyCatalog } from '../../core/policy/check/servers/own-catalog.js';
import { KIND_NAMES } from '../../core/policy/language/kind-names.js';
import { paragraph, wrapped } from '../../core/policy/language/wrapped.js';
import { ENCODING, type TokenCounter } from '../inputs/token-counter.js';
import { count, nameValues, type Paper, plain } from '../terminal/output.js';
import { catalogContents, partOf, quantity } from '../terminal/quantities.js';
import { byServer, unavailableTexts } from './by-server.js';
import {
  type ConfigurationCost,
  type CostSummary,
  MAX_CONFIGURATIONS,
  summarize,
} from './configuration-costs.js';
import { NO_PREFERENCES } from './sample-configurations.js';

/** The result of `tokens`. */
export interface TokenReport {
  readonly catalog: PolicyCatalog;
  readonly tokensOf: TokenCounter;
  /** The configurations for no preferences, presets, and single values. */
  readonly singles: readonly SingleCost[];
  /** The costs of all configurations; undefined if there are too many. */
  readonly all: CostSummary | undefined;
  readonly budget: number | undefined;
  /** The tokens that `present` saves in all tools; negative if it costs some. */
  readonly gain?: number;
}

/** The cost of one sample configuration. */
interface SingleCost extends ConfigurationCost {
  readonly preferences: string;
  /** The tokens of the list of tools that a host sends again when it switches from no preferences to this. */
  readonly resent: number;
  /** The tokens that the list would not have without `lists: stable`. */
  readonly stability: number;
}

/** @returns the costs of all configurations; of the single ones if there are too many */
const tried = ({ all, singles, budget }: TokenReport): CostSummary => all ?? summarize(singles, budget);

/**
 * Formats the costs as text: the result in the first line, then the configurations, then the primitives.
 *
 * @param report the report
 * @param paper where the text will be written
 * @returns the text, with a line break at its end
 * @example
 * process.stdout.write(tokensToText(report, paper));
 */
export function tokensToText(report: TokenReport, paper: Paper): string {
  const { catalog, singles, budget, gain = 0 } = report;
  const primitives = weigh(report);
  if (primitives.length === 0) return 'The server lists nothing.\n';
  const total = billedTokens(primitives);
  const { mostExpensive, cheapest } = tried(report);
  const lines = headline(report, total, paper);
  const padded = (tokens: number): string => `  ${count(tokens).padStart(count(total).length)}`;
  const all = String(primitives.length);
  const costText = ({ tokens, shown }: Omit<ConfigurationCost, 'configuration'>): string =>
    `${padded(tokens)}  ${String(shown).padStart(all.length)} of ${all}  `;

  lines.push('', paper.paint('bold', 'Configurations'));
  for (const [title, cost] of Object.entries({ 'most expensive': mostExpensive, cheapest })) {
    if (cost === undefined) continue;
    const words = nameValues(cost.configuration).map(plain);
    const told = words.length === 0 ? ['no preferences'] : words;
    lines.push(...wrapped(`  ${title.padEnd(14)}${costText(cost)}`, told, ' ', paper.width));
  }
  lines.push(...paragraph(extent(report), paper.width, '  '), '');
  for (const cost of singles) {
    const { preferences, tokens, resent } = cost;
    const again = resent === 0 ? '' : `  ${paper.paint('dim', `resends ${count(resent)}`)}`;
    const line = `${costText(cost)}${preferences === NO_PREFERENCES ? 'no preferences' : plain(preferences)}${again}`;
    lines.push(budget !== undefined && tokens > budget ? `${paper.paint('red', line)}  over budget` : line);
  }

  const notes: string[] = [];
  const [costly] = [...singles].sort((a, b) => b.stability - a.stability);
  if (costly !== undefined && costly.stability > 0) {
    const { preferences, tokens, stability } = costly;
    notes.push(
      `Stable lists cost up to ${count(stability)} tokens more: with ${plain(preferences)}, ${count(tokens)} instead of ${count(tokens - stability)}.`,
    );
  }
  if (gain !== 0)
    notes.push(
      `What the policy presents ${gain > 0 ? 'saves' : 'costs'} ${count(Math.abs(gain))} tokens in all tools.`,
    );
  const forApps = primitives.filter(({ appOnly }) => appOnly);
  if (forApps.length > 0) {
    const sum = count(forApps.reduce((all, { tokens }) => all + tokens, 0));
    notes.push(`${quantity(forApps.length, 'tool')} for apps only: models are not billed for ${sum} tokens.`);
  }
  for (const note of notes) lines.push('', ...paragraph(note, paper.width));
  lines.push('', paper.paint('bold', `Primitives: ${catalogContents(catalog)}`));
  const several = new Set(primitives.map(({ kind }) => kind)).size > 1;
  for (const [server, own] of byServer(primitives)) {
    if (server !== undefined) lines.push(`${plain(server)}: ${count(billedTokens(own))} tokens`);
    for (const { kind, name, tokens, appOnly } of own) {
      const remarks = [...(several ? [KIND_NAMES[kind][0]] : []), ...(appOnly ? ['apps only'] : [])];
      const what = remarks.length === 0 ? '' : `  ${paper.paint('dim', remarks.join(', '))}`;
      lines.push(`${padded(tokens)}  ${plain(name)}${what}`);
    }
  }
  return `${[...lines, ...unavailableTexts(catalog.unavailable)].join('\n')}\n`;
}

function headline(report: TokenReport, total: number, paper: Paper): string[] {
  const { catalog, budget } = report;
  const { configurations, mostExpensive, cheapest, over } = tried(report);
  const painted = (style: 'bold' | 'red' | 'green', text: string): string[] =>
    paragraph(text, paper.width ?? Number.POSITIVE_INFINITY).map((line) => paper.paint(style, line));
  const most = count(mostExpensive?.tokens ?? 0);
  if (budget === undefined) {
    const range = `${count(cheapest?.tokens ?? 0)} to ${most}`;
    return painted(
      'bold',
      `${catalogContents(catalog)}: ${count(total)} tokens (${ENCODING}); configurations cost ${range}`,
    );
  }
  const text =
    over > 0
      ? `Over budget: ${partOf(over, configurations, 'configuration', ['costs', 'cost'])} more than ${count(budget)} tokens, up to ${most} (${ENCODING})`
      : `Within budget: no configuration costs more than ${most} of ${count(budget)} tokens (${ENCODING})`;
  return painted(over > 0 ? 'red' : 'green', text);
}

function extent({ all, singles }: TokenReport): string {
  if (all === undefined)
    return `There are more than ${count(MAX_CONFIGURATIONS)} configurations. Only ${quantity(singles.length, 'was', 'were')} tried: no preferences, each preset, and each single value.`;
  const empty = all.empty === 0 ? '' : `; ${quantity(all.empty, 'shows', 'show')} nothing`;
  return `${quantity(all.configurations, 'configuration')} tried${empty}`;
}

function weigh({ catalog, tokensOf }: TokenReport) {
  return primitivesIn(catalog)
    .map((each) => ({ ...each, tokens: tokensOf(each.primitive), appOnly: isForPages(each.primitive) }))
    .sort((a, b) => b.tokens - a.tokens);
}

/** @returns the tokens that models are billed for */
const billedTokens = (primitives: readonly ReturnType<typeof weigh>[number][]): number =>
  primitives.reduce((sum, { tokens, appOnly }) => (appOnly ? sum : sum + tokens), 0);

/** @returns the report as a JSON value */
export function tokensToJson(report: TokenReport): object {
  const { all, singles, budget, gain = 0 } = report;
  const primitives = weigh(report);
  const { configurations, mostExpensive, cheapest, over } = tried(report);
  return {
    encoding: ENCODING,
    total: billedTokens(primitives),
    ...(budget === undefined ? {} : { budget, over }),
    ...(gain === 0 ? {} : { presentationSaves: gain }),
    complete: all !== undefined,
    configurations,
    ...(all === undefined ? {} : { empty: all.empty }),
    mostExpensive,
    cheapest,
    singles,
    primitives: primitives.map(({ kind, name, tokens, appOnly }) => ({
      kind,
      [IDENTITY[kind]]: name,
      tokens,
      ...(appOnly ? { appOnly } : {}),
    })),
  };
}
