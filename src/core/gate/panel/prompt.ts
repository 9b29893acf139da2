import { describeAccepted, resolveConfiguration } from '../../engine/configuration.js';
import type { HostConcerns } from '../../session/store.js';
import { ACCESS_METHODS, CONCERNS_PARAMETER, EXTENSION_ID, read } from '../../wire/messages.js';
import { ANY } from '../lists/model-parameters.js';
import { ask, type ResponseSteps } from '../request/decision.js';
import type { Facts } from '../request/facts.js';
import { canSwitch, mayWiden } from '../request/switching.js';
import { panelNames } from '../table/routes.js';
import { whyOnlyLook } from './how-to-switch.js';
import { NOTHING_CHANGED, problemOf, switchTo } from './panel.js';
import { completeChange } from './panel-state.js';
import { summaryOf } from './sentence.js';
import { stateOf } from './switches.js';

/**
 * Answers `prompts/get` for the prompts with which a person switches. Hosts let only people choose prompts. Where nothing
 * is kept between requests, such as in 2026-07-28, the answer says what to put into the URL instead.
 *
 * @param facts the request
 * @returns the result; `undefined` if there is no such prompt
 */
export function* getPrompt(facts: Facts): ResponseSteps<Record<string, unknown> | undefined> {
  const { method, params } = facts.request;
  // A server with a prompt of this name must not learn what a person types, nor propose values.
  if (method === ACCESS_METHODS.complete) return { completion: { values: [] } };
  const name = String(read(params, 'name'));
  const change = changeOf(facts, name, read(params, 'arguments'));
  if (change === undefined) return undefined;
  const { text, ...rest } = yield* outcomeOf(facts, name, change);
  return {
    description: 'What is shown',
    messages: [{ role: 'user', content: { type: 'text', text } }],
    ...rest,
  };
}

/** `_meta` tells the host what it must send with its next requests. */
type PromptAnswer = { readonly text: string; readonly _meta?: object };

const READS_ALL =
  'Nothing changed. This host reads prompts that nobody chose, so prompts cannot switch here. Use the page, "mcp-concerns switch" or the URL.';

function* outcomeOf(
  facts: Facts,
  name: string,
  change: Readonly<Record<string, unknown>>,
): ResponseSteps<PromptAnswer> {
  const isChange = Object.keys(change).length > 0;
  const onlyLook = whyOnlyLook(facts.policy.settings);
  if (isChange && onlyLook !== undefined) return { text: `${NOTHING_CHANGED} ${onlyLook}` };
  if (isChange && !canSwitch(facts)) return yield* forNextRequests(facts, change);
  if (!(yield* ask({ need: 'chosen', prompt: name }))) return { text: READS_ALL };
  const outcome = isChange
    ? yield* switchTo(facts, change, mayWiden(facts))
    : ({ state: 'changed' } as const);
  if (outcome.state === 'failed') return { text: outcome.message };
  if (outcome.state !== 'changed') return { text: `${NOTHING_CHANGED} ${outcome.message}` };
  return { text: summaryOf(yield* stateOf(facts)) };
}

/** Nothing is kept: a prompt must not say that it switched, and says what does. */
function* forNextRequests(
  facts: Facts,
  change: Readonly<Record<string, unknown>>,
): ResponseSteps<PromptAnswer> {
  const concerns = completeChange(facts.configuration, change);
  const update = resolveConfiguration(facts.policy, [{ from: 'update', concerns }]);
  const problem = problemOf(update);
  if (problem !== undefined) return { text: `${NOTHING_CHANGED} ${problem}` };
  const accepted = describeAccepted(update);
  const preset = (yield* stateOf(facts)).presets.find(({ name }) => name === change.preset);
  const given = `?${CONCERNS_PARAMETER}=${preset?.name ?? parameterOf(accepted)}`;
  const counts = preset === undefined ? '' : ` With it, ${preset.tools} tools are shown.`;
  return {
    text: `Nothing changed. This connection keeps no preferences. To switch, add ${given} to the URL of the server, and reconnect.${counts}`,
    _meta: { [EXTENSION_ID]: { concerns: accepted } },
  };
}

/** Returns preferences as the parameter of a URL, for example `security:high,topic:news|stocks`. */
const parameterOf = (concerns: HostConcerns): string =>
  Object.entries(concerns)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}:${[value].flat().join('|')}`)
    .join(',');

/** Returns the change that a prompt makes; `undefined` if no prompt has this name. */
function changeOf(
  { policy }: Facts,
  name: string,
  given: unknown,
): Readonly<Record<string, unknown>> | undefined {
  const { prompt, presetPrompt } = panelNames(policy.settings);
  if (name !== prompt) {
    const preset = name.slice(presetPrompt.length);
    return policy.presets.has(preset) ? { preset } : undefined;
  }
  const entered = Object.entries(typeof given === 'object' && given !== null ? given : {});
  // Hosts send an empty text for an argument that the person left out.
  const filled = entered.filter(([, value]) => value !== '');
  return Object.fromEntries(filled.map(([concern, value]) => [concern, valueFrom(policy, concern, value)]));
}

/** Arguments of prompts are texts: a number is written as one, several values with commas, and `any` for none. */
function valueFrom({ concerns }: Facts['policy'], name: string, value: unknown): unknown {
  const concern = concerns.find((each) => each.name === name);
  if (typeof value !== 'string' || concern === undefined) return value;
  const text = value.trim();
  if (text === ANY) return null;
  if ('min' in concern.values) return text === '' || Number.isNaN(Number(text)) ? text : Number(text);
  return concern.multiple && text.includes(',') ? text.split(',').map((each) => each.trim()) : text;
}
