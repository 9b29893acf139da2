import type { ServerCatalog } from '../../engine/mapping.js';
import { IDENTITY, identityOf } from '../../engine/mapping.js';
import { KINDS } from '../../engine/policy.js';
import { ENCODING, type TokenCounter } from '../inputs/token-counter.js';
import { wrapped } from '../terminal/layout.js';
import { count, type Paper, plain } from '../terminal/output.js';
import { type Cost, type Costs, MAX_CONFIGURATIONS } from './configuration-costs.js';
import { contents, many, WORDS } from '../terminal/quantities.js';

/** What `tokens` found. */
export interface TokenReport {
  readonly surface: ServerCatalog;
  readonly tokensOf: TokenCounter;
  /** Configurations that people think of: nothing, presets, single values. */
  readonly singles: readonly (Cost & { readonly asked: string })[];
  /** All configurations; nothing where there are too many. */
  readonly all: Costs | undefined;
  readonly budget: number | undefined;
}

/** @returns the extremes: of all configurations, or where there are too many of those that people think of */
function extremes({ all, singles }: TokenReport): { dearest: Cost | undefined; cheapest: Cost | undefined } {
  if (all !== undefined) return all;
  const sorted = [...singles].sort((a, b) => b.tokens - a.tokens);
  return { dearest: sorted[0], cheapest: sorted.filter(({ shown }) => shown > 0).at(-1) };
}

/**
 * Writes what definitions cost for people: the answer in the first line, then configurations, then primitives.
 *
 * @param report what was found
 * @param paper where it will stand
 * @returns the text, with a line break at its end
 * @example
 * process.stdout.write(tokensToText(report, paper));
 */
export function tokensToText(report: TokenReport, paper: Paper): string {
  const { surface, singles, all, budget } = report;
  const primitives = weigh(report);
  if (primitives.length === 0) return 'The server lists nothing.\n';
  const total = primitives.reduce((sum, { tokens }) => sum + tokens, 0);
  const { dearest, cheapest } = extremes(report);
  const lines = headline(report, total, dearest, cheapest, paper);

  lines.push('', paper.paint('bold', 'Configurations'));
  const extreme = (title: string, cost: Cost | undefined): string[] =>
    cost === undefined
      ? []
      : wrapped(
          `  ${title}  ${count(cost.tokens).padStart(width(total))}  ${shownOf(cost.shown, primitives.length)}  `,
          askedFor(cost.configuration),
          ' ',
          paper.width,
        );
  lines.push(...extreme('dearest ', dearest), ...extreme('cheapest', cheapest));
  lines.push(...wrapped('  ', lookedAt(all, singles.length).split(' '), ' ', paper.width), '');
  for (const { asked, tokens, shown } of singles) {
    const line = `  ${count(tokens).padStart(width(total))}  ${shownOf(shown, primitives.length)}  ${plain(asked)}`;
    lines.push(budget !== undefined && tokens > budget ? `${paper.paint('red', line)}  over budget` : line);
  }

  lines.push('', paper.paint('bold', `Primitives: ${contents(surface)}`));
  const several = new Set(primitives.map(({ kind }) => kind)).size > 1;
  for (const { kind, id, tokens } of primitives) {
    const what = several ? `  ${paper.paint('dim', WORDS[kind][0])}` : '';
    lines.push(`  ${count(tokens).padStart(width(total))}  ${plain(id)}${what}`);
  }
  return `${lines.join('\n')}\n`;
}

function headline(
  { all, singles, surface, budget }: TokenReport,
  total: number,
  dearest: Cost | undefined,
  cheapest: Cost | undefined,
  { paint, width = Number.POSITIVE_INFINITY }: Paper,
): string[] {
  const lines = (text: string) => wrapped('', text.split(' '), ' ', width);
  const most = count(dearest?.tokens ?? 0);
  if (budget === undefined) {
    const range = `${count(cheapest?.tokens ?? 0)} to ${most}`;
    const text = `${contents(surface)}: ${count(total)} tokens (${ENCODING}); configurations cost ${range}`;
    return lines(text).map((line) => paint('bold', line));
  }
  const over = all?.over ?? singles.filter(({ tokens }) => tokens > budget).length;
  const looked = many(all?.configurations ?? singles.length, 'configuration');
  if (over > 0) {
    const text = `Over budget: ${count(over)} of ${looked} cost more than ${count(budget)} tokens, up to ${most} (${ENCODING})`;
    return lines(text).map((line) => paint('red', line));
  }
  const text = `Within budget: no configuration costs more than ${most} of ${count(budget)} tokens (${ENCODING})`;
  return lines(text).map((line) => paint('green', line));
}

function lookedAt(all: Costs | undefined, singles: number): string {
  if (all === undefined) {
    return (
      `There are more than ${count(MAX_CONFIGURATIONS)} configurations; only these ${singles} were looked at: ` +
      'nothing asked for, presets, and each value alone.'
    );
  }
  const empty = all.empty === 0 ? '' : `; ${many(all.empty, 'shows', 'show')} nothing`;
  return `${many(all.configurations, 'configuration')} looked at${empty}`;
}

/** @returns a configuration as it would be asked for */
export function askedFor(configuration: Readonly<Record<string, unknown>>): string[] {
  const entries = Object.entries(configuration);
  if (entries.length === 0) return ['nothing asked for'];
  return entries.map(([name, value]) => `${plain(name)}=${[value].flat().join(',')}`);
}

const width = (largest: number): number => count(largest).length;

const shownOf = (shown: number, total: number): string =>
  `${String(shown).padStart(String(total).length)} of ${total}`;

function weigh({ surface, tokensOf }: TokenReport) {
  const all = KINDS.flatMap((kind) =>
    (surface[kind] ?? []).map((item) => ({ kind, id: identityOf(kind, item), tokens: tokensOf(item) })),
  );
  return all.sort((a, b) => b.tokens - a.tokens);
}

/** @returns the report as one JSON value */
export function tokensToJson(report: TokenReport): object {
  const { all, singles, budget } = report;
  const primitives = weigh(report);
  const { dearest, cheapest } = extremes(report);
  return {
    encoding: ENCODING,
    total: primitives.reduce((sum, { tokens }) => sum + tokens, 0),
    ...(budget === undefined
      ? {}
      : { budget, over: all?.over ?? singles.filter(({ tokens }) => tokens > budget).length }),
    complete: all !== undefined,
    configurations: all?.configurations ?? singles.length,
    ...(all === undefined ? {} : { empty: all.empty }),
    dearest,
    cheapest,
    singles,
    primitives: primitives.map(({ kind, id, tokens }) => ({ kind, [IDENTITY[kind]]: id, tokens })),
  };
}
