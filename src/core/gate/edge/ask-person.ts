import type { AskServer } from '../../wire/page-walker.js';
import { readFormAnswer } from '../panel/form.js';
import type { FormAnswer } from '../request/decision.js';

/** A host without a person may never answer. Longer than a person needs, and shorter than hosts keep a call open. */
export const LONGEST_WAIT = 120_000;

/** The connections whose person has a form to answer. */
const asked = new WeakSet<object>();

/**
 * Shows a person a form, while a call of the client waits (MCP 2025-11-25, "Elicitation").
 *
 * @param connection a person has at most one form of it: a model can call as often as it wants
 * @param ask sends the client requests on behalf of the call
 * @param form the form
 * @param then called with what the person did
 */
export function askPerson(
  connection: object,
  ask: AskServer,
  form: object,
  then: (answer: FormAnswer) => void,
): void {
  if (asked.has(connection)) return then({ action: 'open' });
  asked.add(connection);
  let isOver = false;
  const end = (answer: FormAnswer): void => {
    isOver = true;
    asked.delete(connection);
    then(answer);
  };
  const timer = setTimeout(() => end({ action: 'none' }), LONGEST_WAIT);
  ask('elicitation/create', { ...form }, (response) => {
    if (isOver) return;
    clearTimeout(timer);
    end(('result' in response ? readFormAnswer(response.result) : undefined) ?? { action: 'none' });
  });
}
