import { type Answer, errorOf, type Failure } from './messages.js';
import { type PageReader, PageWalk, type WalkEnd } from './page-walker.js';

/** Sends the server a request made by the gate itself. */
export type AskServer = (
  method: string,
  params: Record<string, unknown>,
  onResponse: (response: Answer | Failure) => void,
) => void;

/**
 * Asks the server for all pages of a list.
 *
 * @param ask sends a request to the server
 * @param method a list method, such as `tools/list`
 * @param reader the bounds, and what to do with each page
 * @param then called once, with the reason why the walk ended
 * @example
 * askForPages(ask, 'tools/list', { bounds: { pages: 100 }, onPage: keep }, (end) => use(end.kind === 'complete'));
 */
export function askForPages(
  ask: AskServer,
  method: string,
  { bounds = {}, onPage }: PageReader<Record<string, unknown>>,
  then: (end: WalkEnd<Failure['error']>) => void,
): void {
  const walk = new PageWalk(bounds);
  const onResponse = (response: Answer | Failure): void => {
    if ('error' in response) return then({ kind: 'failed', error: errorOf(response) });
    const step = walk.next(response.result, onPage(response.result));
    if (step.kind !== 'more') return then(step);
    ask(method, { cursor: step.cursor }, onResponse);
  };
  ask(method, {}, onResponse);
}
