import { toolsIn } from '../../engine/added-tools.js';
import { type Configuration, describeAccepted, resolveConfiguration } from '../../engine/configuration.js';
import { didYouMean } from '../../engine/match/did-you-mean.js';
import { ADDED_TOOLS } from '../../engine/preference-source.js';
import type { HostConcerns } from '../../session/store.js';
import { notStored } from '../concerns/change-kept.js';
import { changeModelValues } from '../concerns/model-values.js';
import { ANY, MAX_ADDED } from '../lists/model-parameters.js';
import { ask, type ResponseSteps } from '../request/decision.js';
import type { Facts } from '../request/facts.js';
import { recordOf } from '../request/kept-preferences.js';
import { canSwitch, openToModel } from '../request/switching.js';
import { addableTools, nameOf } from './hidden-tools.js';
import { howToSwitch } from './how-to-switch.js';
import { tooLarge } from './large-values.js';
import { NOTHING_CHANGED, problemOf, SESSION_ENDED } from './panel.js';

/** What a model did with the tool `concerns`. The text is for the model. */
export interface ModelAct {
  readonly isError: boolean;
  readonly text: string;
}

/**
 * Makes the change that a model asks for, if the policy opens all its concerns to models.
 *
 * @param facts the call
 * @param given the arguments of the call, unchecked
 * @returns what to tell the model
 * @example
 * yield* actOfModel(facts, { topic: 'news' });
 */
export function* actOfModel(facts: Facts, given: Readonly<Record<string, unknown>>): ResponseSteps<ModelAct> {
  const refusal = refusalOf(facts, Object.keys(given));
  if (refusal !== undefined) return { isError: true, text: refusal };
  const chosen = Object.entries(given).map(([name, value]) => [name, withoutAny(value)]);
  const concerns = Object.fromEntries(chosen);
  const update: Configuration = resolveConfiguration(facts.policy, [{ from: 'update', concerns }]);
  const problem = problemOf(update);
  if (problem !== undefined) return refused(problem);
  const values = describeAccepted(update);
  const names = yield* tooLarge(facts, values);
  if (names !== undefined) return { isError: false, text: names };
  return yield* changed(facts, values);
}

/**
 * Adds tools to what is shown to a model, if only concerns that are open to it hide them.
 *
 * @param facts the call
 * @param given the names, unchecked
 * @returns what to tell the model
 * @example
 * yield* addTools(facts, ['get_quote']);
 */
export function* addTools(facts: Facts, given: unknown): ResponseSteps<ModelAct> {
  const { tools = [], shown = [] } = (yield* addableTools(facts)) ?? {};
  const [addable, known] = [new Set(tools.map(nameOf)), new Set([...shown].map(nameOf))];
  const names = [...new Set([given].flat())].filter((name) => !known.has(String(name)));
  const wrong = names.find((name) => typeof name !== 'string' || !addable.has(name));
  if (wrong !== undefined) {
    // The same for every other name, so that it does not tell whether there is such a tool.
    const name = String(wrong).slice(0, MAX_NAME);
    return refused(
      `${JSON.stringify(name)} is not a hidden tool that you can show.${didYouMean(name, addable)}`,
    );
  }
  const all = [
    ...new Set([...toolsIn(recordOf((yield* ask({ need: 'kept' })).session).model, ADDED_TOOLS), ...names]),
  ];
  if (all.length > MAX_ADDED) {
    return refused(
      `At most ${MAX_ADDED} tools can be added, and this would make ${all.length}. Set a value instead.`,
    );
  }
  return yield* changed(facts, { [ADDED_TOOLS]: all });
}

const refused = (text: string): ModelAct => ({ isError: true, text: `${text} ${NOTHING_CHANGED}` });

function* changed(facts: Facts, values: HostConcerns): ResponseSteps<ModelAct> {
  const outcome = yield* changeModelValues(facts, values);
  if (outcome.state === 'ended') return refused(SESSION_ENDED);
  if (outcome.state === 'failed') return { isError: true, text: `The values ${notStored(outcome)}` };
  return { isError: false, text: changeText(outcome.appeared, outcome.disappeared) };
}

/** Several values that contain `any` mean no value too. */
const withoutAny = (value: unknown): unknown =>
  value === ANY || (Array.isArray(value) && value.includes(ANY)) ? null : value;

/** In characters. Models may send anything as a name. */
const MAX_NAME = 64;

/** Returns why a model may not set one of the concerns; `undefined` if it may set all. */
function refusalOf(facts: Facts, names: readonly string[]): string | undefined {
  const open = openToModel(facts).map(({ name }) => name);
  const closed = names.find((name) => !open.includes(name));
  if (closed === undefined) return undefined;
  const { concerns, indexOf } = facts.policy;
  const { setBy, model = 'none' } = concerns[indexOf.get(closed) ?? -1] ?? {};
  const name = JSON.stringify(closed.slice(0, MAX_NAME));
  const how = howToSwitch(facts);
  if (setBy === 'host' && model !== 'none' && !canSwitch(facts))
    return `${name} cannot be changed here. ${how}`;
  if (setBy === 'operator')
    return `${name} is set by the operator, so it cannot be changed here. Nothing changed.`;
  if (setBy !== undefined || closed === 'preset' || open.length === 0)
    return `${name} is for people to change, not for a model. ${how} Nothing changed.`;
  return `${name} is not a concern of this server (${open.join(', ')}).${didYouMean(closed, open)} Nothing changed.`;
}

/** More names than this are counted only: the answer stays in the context of the model. */
const MAX_NAMES = 50;

function changeText(appeared: readonly string[], disappeared: number): string {
  const rest = appeared.length - MAX_NAMES;
  const names = `${appeared.slice(0, MAX_NAMES).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  const lines = [
    ...(appeared.length === 0 ? [] : [`Shown now: ${names}.`]),
    ...(disappeared === 0 ? [] : [`${disappeared} that were shown are hidden now.`]),
  ];
  return lines.length === 0 ? 'What is shown did not change.' : lines.join(' ');
}
