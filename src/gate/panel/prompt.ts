import { resolveConfiguration } from '../../engine/configuration.js';
import { CONCERNS_PARAMETER, read } from '../../wire/messages.js';
import { ANY } from '../lists/model-parameters.js';
import type { Exchange } from '../request/exchange.js';
import { canSwitch } from '../request/switching.js';
import { PANEL } from '../table/panel-routes.js';
import { isChosen } from './chosen-prompt.js';
import { forUrl, type NextRequests } from './next-requests.js';
import { problemOf } from './panel.js';
import { completeChange } from './panel-state.js';
import { whyOnlyLook } from './read-only.js';
import { summaryOf } from './sentence.js';
import { stateOf, switchTo } from './switches.js';

const NOTHING_CHANGED = 'Nothing changed.';

/**
 * Answers `prompts/get` for the prompts with which a person switches. Hosts let only people choose prompts. Where nothing
 * is kept between requests, such as in 2026-07-28, the answer says what to put into the URL instead.
 *
 * @param exchange the request
 * @returns the result; `undefined` if there is no such prompt
 */
export async function getPrompt(exchange: Exchange): Promise<Record<string, unknown> | undefined> {
  const { params } = exchange.request;
  const name = String(read(params, 'name'));
  const change = changeOf(exchange, name, read(params, 'arguments'));
  if (change === undefined) return undefined;
  const { text, ...rest } = await outcomeOf(exchange, name, change);
  return {
    description: 'What is shown',
    messages: [{ role: 'user', content: { type: 'text', text } }],
    ...rest,
  };
}

type Outcome = { readonly text: string } & Partial<Pick<NextRequests, '_meta'>>;

const READS_ALL =
  'This host reads prompts that nobody chose, so prompts cannot switch here. Use the page, "mcp-concerns switch" or the URL.';

async function outcomeOf(
  exchange: Exchange,
  name: string,
  change: Readonly<Record<string, unknown>>,
): Promise<Outcome> {
  const isChange = Object.keys(change).length > 0;
  const onlyLook = whyOnlyLook(exchange.policy.settings);
  if (isChange && onlyLook !== undefined) return { text: `${NOTHING_CHANGED} ${onlyLook}` };
  if (isChange && !canSwitch(exchange)) return forNextRequests(exchange, change);
  if (!(await isChosen(exchange.connection, name))) return { text: `${NOTHING_CHANGED} ${READS_ALL}` };
  const outcome = isChange ? await switchTo(exchange, change) : ({ state: 'changed' } as const);
  if (outcome.state === 'failed') return { text: outcome.message };
  if (outcome.state !== 'changed') return { text: `${NOTHING_CHANGED} ${outcome.message}` };
  return { text: summaryOf(await stateOf(exchange)) };
}

/** Nothing is kept: a prompt must not say that it switched, and says what does. */
async function forNextRequests(
  exchange: Exchange,
  change: Readonly<Record<string, unknown>>,
): Promise<Outcome> {
  const concerns = completeChange(exchange.configuration, change);
  const update = resolveConfiguration(exchange.policy, [{ from: 'update', concerns }]);
  const problem = problemOf(update);
  if (problem !== undefined) return { text: `${NOTHING_CHANGED} ${problem}` };
  const { parameter, _meta } = forUrl(update);
  const preset = (await stateOf(exchange)).presets.find(({ name }) => name === change.preset);
  const given = preset === undefined ? parameter : `?${CONCERNS_PARAMETER}=${preset.name}`;
  const counts = preset === undefined ? '' : ` With it, ${preset.tools} tools are shown.`;
  const text = `${NOTHING_CHANGED} This connection keeps no preferences. To switch, add ${given} to the URL of the server, and reconnect.${counts}`;
  return { text, _meta };
}

/** Returns the change that a prompt makes; `undefined` if no prompt has this name. */
function changeOf(
  { policy }: Exchange,
  name: string,
  given: unknown,
): Readonly<Record<string, unknown>> | undefined {
  if (name !== PANEL.prompt) {
    const preset = name.slice(PANEL.presetPrompt.length);
    return policy.presets.has(preset) ? { preset } : undefined;
  }
  const entered = Object.entries(typeof given === 'object' && given !== null ? given : {});
  return Object.fromEntries(
    // Hosts send an empty text for an argument that the person left out.
    entered.flatMap(([concern, value]) =>
      value === '' ? [] : [[concern, valueFrom(policy, concern, value)]],
    ),
  );
}

/** Arguments of prompts are texts: a number is written as one, several values with commas, and `any` for none. */
function valueFrom({ concerns }: Exchange['policy'], name: string, value: unknown): unknown {
  const concern = concerns.find((each) => each.name === name);
  if (typeof value !== 'string' || concern === undefined) return value;
  const text = value.trim();
  if (text === ANY) return null;
  if ('min' in concern.values) return text === '' || Number.isNaN(Number(text)) ? text : Number(text);
  return concern.multiple && text.includes(',') ? text.split(',').map((each) => each.trim()) : text;
}
