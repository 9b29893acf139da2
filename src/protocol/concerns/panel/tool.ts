import { describeAccepted, resolveConfiguration } from '../../../engine/configuration.js';
import { CONCERNS_PARAMETER, EXTENSION_ID, read } from '../../messages/wire.js';
import type { Exchange } from '../../request/exchange.js';
import { canSwitch, clientSurfaces } from '../../request/switching.js';
import type { PanelState } from '../panel-document.js';
import { completeChange } from '../panel-state.js';
import { askPerson, type FormAnswer, readFormAnswer } from './ask-person.js';
import { changeIn, formOf } from './form.js';
import { keyForPage, pageKey } from './page-key.js';
import { errorResult, summaryOf, textResult } from './sentence.js';
import { stateOf, switchTo } from './switches.js';

/** The name of the form among the requests of an `input_required` result. */
const FORM = 'concerns';

/**
 * Answers a call of the tool `concerns`: says what is shown, and lets the person change it, in a page or a form if the
 * client has one. The model itself can change nothing.
 *
 * @param exchange the call
 * @returns the result
 */
export async function callTool(exchange: Exchange): Promise<Record<string, unknown>> {
  const { params } = exchange.request;
  const [name] = Object.keys((read(params, 'arguments') as object | undefined) ?? {});
  if (name !== undefined) {
    return errorResult(
      `${JSON.stringify(name.slice(0, 64))} is for people to change, not for a model. ${howToSwitch(exchange)}`,
    );
  }
  const { app, form } = clientSurfaces(exchange);
  const state = await stateOf(exchange);
  if (app) return withPage(exchange, state);
  const mayChange =
    exchange.policy.settings.panel === 'on' && exchange.policy.settings.enforcement !== 'shadow';
  if (!form || !mayChange) return textResult(summaryOf(state), howToSwitch(exchange));
  if (exchange.era === 'legacy') {
    // Only a connection that lasts can receive the person's answer.
    if (!exchange.connection.lasts) return textResult(summaryOf(state), howToSwitch(exchange));
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
async function withPage(exchange: Exchange, state: PanelState): Promise<Record<string, unknown>> {
  const key = canSwitch(exchange) ? await keyForPage(exchange) : pageKey(exchange);
  return {
    ...textResult(summaryOf(state)),
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
  if (answered.action !== 'accept') return textResult(NO_ANSWER[answered.action], summaryOf(state));
  const change = changeIn(state, answered.content);
  if (change === undefined) return textResult(NOTHING_CHANGED, summaryOf(state));
  const outcome = await switchTo(exchange, change);
  if (outcome.state !== 'changed') return errorResult(`${outcome.message} ${NOTHING_CHANGED}`);
  return textResult('The person changed what is shown.', summaryOf(await stateOf(exchange)));
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
  const accepted = describeAccepted(update);
  const values = Object.entries(accepted).filter(([, value]) => value !== null);
  const inUrl = values.map(([name, value]) => `${name}:${[value].flat().join('|')}`).join(',');
  return {
    ...textResult(
      'The person chose what to show, but this connection keeps no preferences.',
      `To apply the choice, add ?${CONCERNS_PARAMETER}=${inUrl} to the URL of the server.`,
    ),
    _meta: { [EXTENSION_ID]: { concerns: accepted } },
  };
}

function howToSwitch(exchange: Exchange): string {
  if (canSwitch(exchange)) {
    const presets = [...exchange.policy.presets.keys()].map((name) => `concerns-${name}`);
    const others = presets.length === 0 ? '' : `, or one of the prompts ${presets.join(', ')}`;
    return `A person can change what is shown with the prompt "concerns"${others}.`;
  }
  return `A person can change what is shown with ?${CONCERNS_PARAMETER}=NAME:VALUE in the URL of the server.`;
}
