import type { PanelState } from '../../core/gate/panel/panel-document.js';
import { isMembers, read } from '../../core/wire/messages.js';
import { eventStream } from './event-stream.js';
import type { Switchboard } from './hub.js';
import { json, localPage, type PageHandler, type PageRequest, problem } from './local-page.js';

const MAX_BODY = 65_536;

/**
 * Answers the requests of the page with the switches, and of `mcp-concerns switch`.
 *
 * @param board the sessions
 * @param key 32 random bytes as text. Whoever knows it can switch
 * @returns answers a request, as `localPage` does below `/panel`
 * @example
 * const response = await controlChannel(hub, key)(request, undefined);
 */
export function controlChannel(board: Switchboard, key: string): PageHandler {
  const load = async () => {
    const page = await import('../../core/gate/panel/generated/page.js');
    return { html: page.PANEL_HTML, contentSecurityPolicy: page.PANEL_CONTENT_SECURITY_POLICY };
  };
  const page = { path: '/panel', key, command: 'switch --open', maxBody: MAX_BODY, load };
  return localPage(page, async ({ route, body, signal }: PageRequest) => {
    if (route === 'GET /sessions') return json({ format: 1, sessions: await board.states() });
    if (route === 'GET /events') return eventStream(board, signal);
    const target = /^PUT \/sessions\/(?<id>[\w.~-]+)\/(concerns|proposals\/(?<proposal>[\w-]+))$/.exec(route);
    const { id, proposal } = target?.groups ?? {};
    return id === undefined ? undefined : change(board, id, proposal, body);
  });
}

async function change(
  board: Switchboard,
  session: string,
  proposal: string | undefined,
  body: unknown,
): Promise<Response> {
  const concerns = read(body, 'concerns');
  const isAllowed = read(body, 'allow');
  if (proposal === undefined && isMembers(concerns)) {
    return answered(await board.change(session, concerns, read(body, 'onlyNarrows') === true));
  }
  if (proposal !== undefined && typeof isAllowed === 'boolean') {
    return answered(await board.answer(session, proposal, isAllowed));
  }
  return problem(400, 'The body must have "concerns", an object, or for a proposal "allow", true or false.');
}

const answered = (state: PanelState): Response => json({ format: 1, sessions: [state] });
