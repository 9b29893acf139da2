import { PANEL } from '../../messages/panel-routes.js';
import { read } from '../../messages/wire.js';
import type { Exchange } from '../../request/exchange.js';
import { canSwitch } from '../../request/switching.js';
import type { PanelChange } from '../panel.js';
import { isChosen } from './chosen-prompt.js';
import { summaryOf } from './sentence.js';
import { stateOf, switchTo } from './switches.js';

/**
 * Answers `prompts/get` for the prompts with which a person switches. Hosts let only people choose prompts.
 *
 * @param exchange the request
 * @returns the result; `undefined` if there is no such prompt
 */
export async function getPrompt(exchange: Exchange): Promise<Record<string, unknown> | undefined> {
  if (!canSwitch(exchange)) return undefined;
  const { params } = exchange.request;
  const name = String(read(params, 'name'));
  const change = changeOf(exchange, name, read(params, 'arguments'));
  if (change === undefined) return undefined;
  const outcome = await outcomeOf(exchange, name, change);
  const text =
    outcome.state === 'changed' ? summaryOf(await stateOf(exchange)) : `Nothing changed. ${outcome.message}`;
  return {
    description: 'What is shown',
    messages: [{ role: 'user', content: { type: 'text', text } }],
  };
}

const READS_ALL =
  'This host reads prompts that nobody chose, so prompts cannot switch here. Use the page, "mcp-concerns switch" or the URL.';

async function outcomeOf(
  exchange: Exchange,
  name: string,
  change: Readonly<Record<string, unknown>>,
): Promise<PanelChange> {
  if (!(await isChosen(exchange.connection, name))) return { state: 'refused', message: READS_ALL };
  return Object.keys(change).length === 0 ? { state: 'changed' } : switchTo(exchange, change);
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
  if (text === 'any') return null;
  if ('min' in concern.values) return text === '' || Number.isNaN(Number(text)) ? text : Number(text);
  return concern.multiple && text.includes(',') ? text.split(',').map((each) => each.trim()) : text;
}
