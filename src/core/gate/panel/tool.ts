import { read } from '../../wire/messages.js';
import { ABOUT_TOOLS } from '../lists/model-parameters.js';
import { ask, type FormAnswer, type ResponseSteps } from '../request/decision.js';
import type { Facts } from '../request/facts.js';
import { canSwitch, clientSurfaces, mayWiden, openToModel } from '../request/switching.js';
import { changeIn, formOf, readFormAnswer } from './form.js';
import { listHiddenTools } from './hidden-tools.js';
import { howToSwitch } from './how-to-switch.js';
import { actOfModel, addTools, type ModelAct } from './model-act.js';
import { moreTools } from './more-tools.js';
import { NOTHING_CHANGED, switchTo } from './panel.js';
import type { PanelState } from './panel-document.js';
import { errorResult, summaryOf, textResult } from './sentence.js';
import { stateOf } from './switches.js';

/** The name of the form among the requests of an `input_required` result. */
const FORM = 'concerns';

/**
 * Answers a call of the tool `concerns`: says what is shown, and lets the person change it, in a page or a form if the
 * client has one. The model itself can change what the policy opens to it.
 *
 * @param facts the call
 * @returns the result
 */
export function* callTool(facts: Facts): ResponseSteps<Record<string, unknown>> {
  const { params } = facts.request;
  const given = read(params, 'arguments');
  const sent = Object.entries(typeof given === 'object' && given !== null ? given : {});
  // A concern with the name of an argument wins. Some models fill in all arguments, with values that say nothing.
  const isAbout = (name: string): boolean =>
    mayAddTools(facts) && !facts.policy.indexOf.has(name) && ABOUT_TOOLS.includes(name);
  const about = new Map(sent.filter(([name, value]) => isAbout(name) && !EMPTY.has(JSON.stringify(value))));
  const values = sent.filter(([name]) => !isAbout(name));
  const asksForNames = about.has('list') || about.has('find');
  if ([values.length > 0, asksForNames, about.has('show')].filter(Boolean).length > 1) {
    return errorResult('Pass values, or list or find, or show, in a call of its own. Nothing changed.');
  }
  if (asksForNames) return textResult(yield* listHiddenTools(facts, String(about.get('find') ?? '')));
  let act: ModelAct | undefined;
  if (about.has('show')) act = yield* addTools(facts, about.get('show'));
  else if (values.length > 0) act = yield* actOfModel(facts, Object.fromEntries(values));
  if (act?.isError === true) return errorResult(act.text);
  const { app, form } = clientSurfaces(facts);
  const state = yield* stateOf(facts);
  const told = [
    ...(act === undefined ? [] : [act.text]),
    summaryOf(state),
    ...(state.missing ?? []),
    ...(yield* moreTools(facts)),
  ];
  // The page reads the document itself: in the result, it would be in the context of the model.
  // A model that changes something itself does not need the person.
  if (app || act !== undefined) return textResult(...told);
  // Only a connection that lasts can receive the person's answer.
  const canAsk = form && canSwitch(facts) && (facts.era === 'modern' || facts.connection.lasts);
  if (!canAsk) return textResult(...told, howToSwitch(facts));
  if (facts.era === 'legacy') {
    return yield* afterForm(facts, state, yield* ask({ need: 'person', form: formOf(state) }));
  }
  const answered = readFormAnswer(read(params, 'inputResponses', FORM));
  if (answered !== undefined) return yield* afterForm(facts, state, answered);
  return {
    resultType: 'input_required',
    inputRequests: { [FORM]: { method: 'elicitation/create', params: formOf(state) } },
  };
}

/** Only what concerns with `model: free` hide can be named or added. */
const mayAddTools = (facts: Facts): boolean => openToModel(facts).some(({ model }) => model === 'free');

const EMPTY: ReadonlySet<string> = new Set(['false', '""', '[]', 'null']);

/** What a person did with a form, in the place of an answer. */
const NO_ANSWER = {
  decline: 'The person declined the form. Nothing changed.',
  cancel: 'The person closed the form. Nothing changed.',
  open: 'An earlier call shows the person a form that is not answered yet. Nothing changed.',
  none: 'The host did not show the form in time. Nothing changed.',
} as const;

function* afterForm(
  facts: Facts,
  state: PanelState,
  answered: FormAnswer,
): ResponseSteps<Record<string, unknown>> {
  const change = answered.action === 'accept' ? changeIn(state, answered.content) : undefined;
  if (change === undefined) {
    const why = answered.action === 'accept' ? NOTHING_CHANGED : NO_ANSWER[answered.action];
    return textResult(why, summaryOf(state), ...(yield* moreTools(facts)));
  }
  const outcome = yield* switchTo(facts, change, mayWiden(facts));
  if (outcome.state === 'failed') return errorResult(outcome.message);
  if (outcome.state !== 'changed') return errorResult(`${outcome.message} ${NOTHING_CHANGED}`);
  const lines = [summaryOf(yield* stateOf(facts)), ...(yield* moreTools(facts))];
  return textResult('The person changed what is shown.', ...lines);
}
