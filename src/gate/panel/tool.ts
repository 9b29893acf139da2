import { resolveConfiguration } from '../../engine/configuration.js';
import { read } from '../../wire/messages.js';
import { askPerson, type FormAnswer, type Settling } from '../request/decision.js';
import type { Facts } from '../request/facts.js';
import { canSwitch, clientSurfaces, mayWiden } from '../request/switching.js';
import { panelMode } from '../table/panel-routes.js';
import { changeIn, formOf, readFormAnswer } from './form.js';
import { howToSwitch } from './how-to-switch.js';
import { actOfModel } from './model-act.js';
import { moreTools } from './more-tools.js';
import { forUrl } from './next-requests.js';
import { switchTo } from './panel.js';
import type { PanelState } from './panel-document.js';
import { completeChange } from './panel-state.js';
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
export function* callTool(facts: Facts): Settling<Record<string, unknown>> {
  const { params } = facts.request;
  const given = read(params, 'arguments');
  const changes = Object.entries(typeof given === 'object' && given !== null ? given : {});
  const act = changes.length === 0 ? undefined : yield* actOfModel(facts, Object.fromEntries(changes));
  if (act?.isError === true) return errorResult(act.text);
  const { app, form } = clientSurfaces(facts);
  const state = yield* stateOf(facts);
  const told = [...(act === undefined ? [] : [act.text]), summaryOf(state), ...(yield* moreTools(facts))];
  if (app) return { ...textResult(...told), structuredContent: state };
  // A model that changes something itself does not need the person.
  if (act !== undefined) return textResult(...told);
  if (!form || panelMode(facts.policy.settings) !== 'on') return textResult(...told, howToSwitch(facts));
  if (facts.era === 'legacy') {
    // Only a connection that lasts can receive the person's answer.
    if (!facts.connection.lasts) return textResult(...told, howToSwitch(facts));
    return yield* afterForm(facts, state, yield* askPerson(formOf(state)));
  }
  const answered = readFormAnswer(read(params, 'inputResponses', FORM));
  if (answered !== undefined) {
    return canSwitch(facts)
      ? yield* afterForm(facts, state, answered)
      : afterModernForm(facts, state, answered);
  }
  return {
    resultType: 'input_required',
    inputRequests: { [FORM]: { method: 'elicitation/create', params: formOf(state) } },
    // Nothing in it is trusted: every value that comes back is checked again.
    requestState: facts.policy.digest,
  };
}

const NOTHING_CHANGED = 'Nothing changed.';

const NO_ANSWER: Readonly<Record<Exclude<FormAnswer['action'], 'accept'>, string>> = {
  decline: `The person declined the form. ${NOTHING_CHANGED}`,
  cancel: `The person closed the form. ${NOTHING_CHANGED}`,
  none: `The host did not show the form in time. ${NOTHING_CHANGED}`,
};

function* afterForm(
  facts: Facts,
  state: PanelState,
  answered: FormAnswer,
): Settling<Record<string, unknown>> {
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

/** A modern request changes nothing for later ones, so the answer says what the host must send with them. */
function afterModernForm(facts: Facts, state: PanelState, answered: FormAnswer): Record<string, unknown> {
  if (answered.action !== 'accept') return textResult(NO_ANSWER[answered.action], summaryOf(state));
  const change = changeIn(state, answered.content);
  if (change === undefined) return textResult(NOTHING_CHANGED, summaryOf(state));
  const concerns = completeChange(facts.configuration, change);
  const update = resolveConfiguration(facts.policy, [{ from: 'update', concerns }]);
  if (update.invalid.length > 0 || update.warnings.length > 0) {
    return errorResult(`The form contains a value that the policy does not declare. ${NOTHING_CHANGED}`);
  }
  const { parameter, _meta } = forUrl(update);
  return {
    ...textResult(
      'The person chose what to show, but this connection keeps no preferences.',
      `To apply the choice, add ${parameter} to the URL of the server.`,
    ),
    _meta,
  };
}
