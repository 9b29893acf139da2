import { resolveConfiguration } from '../../engine/configuration.js';
import { EXTENSION_ID, read } from '../../wire/messages.js';
import type { Exchange } from '../request/exchange.js';
import { canSwitch, clientSurfaces } from '../request/switching.js';
import { panelMode } from '../table/panel-routes.js';
import { askPerson, type FormAnswer, readFormAnswer } from './ask-person.js';
import { changeIn, formOf } from './form.js';
import { howToSwitch } from './how-to-switch.js';
import { actOfModel } from './model-act.js';
import { moreTools } from './more-tools.js';
import { forUrl } from './next-requests.js';
import { keyForPage, pageKey } from './page-key.js';
import type { PanelState } from './panel-document.js';
import { completeChange } from './panel-state.js';
import { errorResult, summaryOf, textResult } from './sentence.js';
import { stateOf, switchTo } from './switches.js';

/** The name of the form among the requests of an `input_required` result. */
const FORM = 'concerns';

/**
 * Answers a call of the tool `concerns`: says what is shown, and lets the person change it, in a page or a form if the
 * client has one. The model itself can change what the policy opens to it.
 *
 * @param exchange the call
 * @returns the result
 */
export async function callTool(exchange: Exchange): Promise<Record<string, unknown>> {
  const { params } = exchange.request;
  const given = read(params, 'arguments');
  const changes = Object.entries(typeof given === 'object' && given !== null ? given : {});
  const act = changes.length === 0 ? undefined : await actOfModel(exchange, Object.fromEntries(changes));
  if (act?.isError === true) return errorResult(act.text);
  const { app, form } = clientSurfaces(exchange);
  const state = await stateOf(exchange);
  const told = [...(act === undefined ? [] : [act.text]), summaryOf(state), ...(await moreTools(exchange))];
  if (app) return withPage(exchange, state, told);
  // A model that changes something itself does not need the person.
  if (act !== undefined) return textResult(...told);
  if (!form || panelMode(exchange.policy.settings) !== 'on')
    return textResult(...told, howToSwitch(exchange));
  if (exchange.era === 'legacy') {
    // Only a connection that lasts can receive the person's answer.
    if (!exchange.connection.lasts) return textResult(...told, howToSwitch(exchange));
    return afterForm(exchange, state, await askPerson(exchange, formOf(state)));
  }
  const answered = readFormAnswer(read(params, 'inputResponses', FORM));
  if (answered !== undefined) {
    return canSwitch(exchange)
      ? afterForm(exchange, state, answered)
      : afterModernForm(exchange, state, answered);
  }
  return {
    resultType: 'input_required',
    inputRequests: { [FORM]: { method: 'elicitation/create', params: formOf(state) } },
    // Nothing in it is trusted: every value that comes back is checked again.
    requestState: exchange.policy.digest,
  };
}

/** Only the page gets the key, by which `concerns_update` knows that a person made the change. */
async function withPage(
  exchange: Exchange,
  state: PanelState,
  told: readonly string[],
): Promise<Record<string, unknown>> {
  const key = canSwitch(exchange) ? await keyForPage(exchange) : pageKey(exchange);
  return {
    ...textResult(...told),
    structuredContent: state,
    ...(key === undefined ? {} : { _meta: { [EXTENSION_ID]: { key } } }),
  };
}

const NOTHING_CHANGED = 'Nothing changed.';

const NO_ANSWER: Readonly<Record<Exclude<FormAnswer['action'], 'accept'>, string>> = {
  decline: `The person declined the form. ${NOTHING_CHANGED}`,
  cancel: `The person closed the form. ${NOTHING_CHANGED}`,
  none: `The host did not show the form in time. ${NOTHING_CHANGED}`,
};

async function afterForm(
  exchange: Exchange,
  state: PanelState,
  answered: FormAnswer,
): Promise<Record<string, unknown>> {
  const unchanged = async (why: string) => textResult(why, summaryOf(state), ...(await moreTools(exchange)));
  if (answered.action !== 'accept') return unchanged(NO_ANSWER[answered.action]);
  const change = changeIn(state, answered.content);
  if (change === undefined) return unchanged(NOTHING_CHANGED);
  const outcome = await switchTo(exchange, change);
  if (outcome.state === 'failed') return errorResult(outcome.message);
  if (outcome.state !== 'changed') return errorResult(`${outcome.message} ${NOTHING_CHANGED}`);
  const lines = [summaryOf(await stateOf(exchange)), ...(await moreTools(exchange))];
  return textResult('The person changed what is shown.', ...lines);
}

/** A modern request changes nothing for later ones, so the answer says what the host must send with them. */
async function afterModernForm(
  exchange: Exchange,
  state: PanelState,
  answered: FormAnswer,
): Promise<Record<string, unknown>> {
  if (answered.action !== 'accept') return textResult(NO_ANSWER[answered.action], summaryOf(state));
  const change = changeIn(state, answered.content);
  if (change === undefined) return textResult(NOTHING_CHANGED, summaryOf(state));
  const concerns = completeChange(exchange.configuration, change);
  const update = resolveConfiguration(exchange.policy, [{ from: 'update', concerns }]);
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
