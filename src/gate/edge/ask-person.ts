import type { AskServer } from '../../wire/page-walker.js';
import { readFormAnswer } from '../panel/form.js';
import type { FormAnswer } from '../request/decision.js';

/** A host without a person may never answer. Longer than a person needs, and shorter than hosts keep a call open. */
export const LONGEST_WAIT = 120_000;

/**
 * Shows a person a form, while a call of the client waits (MCP 2025-11-25, "Elicitation").
 *
 * @param ask sends the client requests on behalf of the call
 * @param form the form
 * @param then called with what the person did
 */
export function askPerson(ask: AskServer, form: object, then: (answer: FormAnswer) => void): void {
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    then({ action: 'none' });
  }, LONGEST_WAIT);
  ask('elicitation/create', { ...form }, (response) => {
    if (isOver) return;
    clearTimeout(timer);
    then(('result' in response ? readFormAnswer(response.result) : undefined) ?? { action: 'none' });
  });
}
