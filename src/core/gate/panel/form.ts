import { membersOf, read } from '../../wire/messages.js';
import type { FormAnswer } from '../request/decision.js';
import type { PanelConcern, PanelPreset, PanelState } from './panel-document.js';
import { summaryOf } from './sentence.js';

/** What a form offers beside values: to set no value, and to choose no preset. */
const NONE = '-';

/** The params of `elicitation/create` for a form. */
export interface FormParams {
  readonly mode: 'form';
  readonly message: string;
  readonly requestedSchema: {
    readonly type: 'object';
    readonly properties: Readonly<Record<string, object>>;
  };
}

/**
 * Returns the form in which a person switches: the presets, and each concern of the host. Each choice says how many tools
 * it shows. What is in effect is chosen already (MCP, "Elicitation"; SEP-1330).
 *
 * @param state what is shown now
 * @returns the params of `elicitation/create`
 * @example
 * formOf(state).requestedSchema.properties.security;
 */
export function formOf(state: PanelState): FormParams {
  const properties = [
    ...(state.presets.length === 0 ? [] : [['preset', presetField(state.presets)] as const]),
    ...hostConcerns(state).map((concern) => [concern.name, concernField(concern)] as const),
  ];
  return {
    mode: 'form',
    message: `${summaryOf(state)} Choose what to show.`,
    requestedSchema: { type: 'object', properties: Object.fromEntries(properties) },
  };
}

const hostConcerns = ({ concerns }: PanelState) => concerns.filter(({ setBy }) => setBy === 'host');

const activePreset = (presets: readonly PanelPreset[]): string =>
  presets.find(({ active }) => active)?.name ?? NONE;

function presetField(presets: readonly PanelPreset[]): object {
  return {
    type: 'string',
    title: 'Preset',
    description: 'A preset that you choose here replaces the values below.',
    oneOf: [
      ...presets.map(({ name, tools, tokens }) => ({
        const: name,
        title: `${name}: ${tools} tools, about ${tokens} tokens`,
      })),
      { const: NONE, title: 'no preset: the values below' },
    ],
    default: activePreset(presets),
  };
}

function concernField({ name, description, inEffect, multiple, options, range }: PanelConcern): object {
  const about = { title: name, ...(description === undefined ? {} : { description }) };
  const [first] = inEffect;
  if (range !== undefined) {
    const { min: minimum, max: maximum } = range;
    return { type: 'number', ...about, minimum, maximum, ...(first === undefined ? {} : { default: first }) };
  }
  const choices = (options ?? []).map(({ value, tools }) => ({
    const: value === null ? NONE : String(value),
    title: `${value ?? 'any'}: ${tools} tools`,
  }));
  if (!multiple) return { type: 'string', ...about, oneOf: choices, default: String(first ?? NONE) };
  const anyOf = choices.filter((choice) => choice.const !== NONE);
  return { type: 'array', ...about, items: { anyOf }, default: inEffect.map(String) };
}

/**
 * Returns the change that a person made in a form. A preset other than the active one wins over the values.
 *
 * @param state what was shown when the form was made
 * @param content what the person entered, unchecked: the policy decides about the values
 * @returns the change; `undefined` if the form was left as it was
 * @example
 * changeIn(state, { preset: 'safe' }); // { preset: 'safe' }
 */
export function changeIn(
  state: PanelState,
  content: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined {
  const { preset = NONE } = content;
  if (preset !== NONE && preset !== activePreset(state.presets)) return { preset };
  const changed = hostConcerns(state).flatMap(({ name, inEffect, multiple }): [string, unknown][] => {
    const entered = Object.hasOwn(content, name) ? content[name] : null;
    const isNone = entered === NONE || (Array.isArray(entered) && entered.length === 0);
    const value = isNone ? null : entered;
    const before = inEffect.length === 0 ? null : multiple ? inEffect : inEffect[0];
    return JSON.stringify(value) === JSON.stringify(before) ? [] : [[name, value]];
  });
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

/** Returns what a person did, from a client's answer; `undefined` if it is not an answer to a form. */
export function readFormAnswer(answer: unknown): FormAnswer | undefined {
  const action = read(answer, 'action');
  if (action === 'decline' || action === 'cancel') return { action };
  if (action !== 'accept') return undefined;
  return { action, content: membersOf(read(answer, 'content')) };
}
