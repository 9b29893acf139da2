import type { PanelState } from '../../gate/panel/panel-document.js';
import { readJson } from '../../http/request-body.js';
import { read } from '../../wire/messages.js';
import { eventStream } from './event-stream.js';
import type { Switchboard } from './hub.js';
import { hasKey, json, type LocalPage, pageResponse, problem, refusedOrigin } from './local-page.js';
import { ChangeRefusedError, SessionGoneError } from './switch-errors.js';

/** What the control channel serves. */
export interface ChannelOptions {
  readonly board: Switchboard;
  /** 32 random bytes as text. Whoever knows it can switch. */
  readonly key: string;
  /** The port that the process listens on. */
  readonly port: () => number;
  /** Loads the page and its content security policy. */
  readonly page: () => Promise<LocalPage>;
}

const PREFIX = '/panel';
const MAX_BODY = 65_536;

/**
 * Answers the requests of the page and of `mcp-concerns switch`.
 *
 * The checks come in this order: `Host` (a page whose name was bound to 127.0.0.1 has another one), `Origin` (a page of
 * another origin), and the key, which is compared in constant time. The page itself contains no secret and needs no key.
 *
 * @param options the sessions, the key and the page
 * @returns answers a request; `undefined` if its path is not below `/panel`
 * @example
 * const response = await controlChannel(options)(request);
 */
export function controlChannel({ board, key, port, page }: ChannelOptions) {
  return async (request: Request): Promise<Response | undefined> => {
    const { pathname } = new URL(request.url);
    if (pathname !== PREFIX && !pathname.startsWith(`${PREFIX}/`)) return undefined;
    const refused = refusedOrigin(request, port());
    if (refused !== undefined) return refused;
    const path = pathname.slice(PREFIX.length);
    if (path === '' && request.method === 'GET') return pageResponse(await page());
    if (!hasKey(request, key)) {
      return problem(401, 'The key is missing or wrong. Run "mcp-concerns switch --open".');
    }
    if (request.method === 'GET' && path === '/sessions') {
      return json(200, { format: 1, sessions: await board.states() });
    }
    if (request.method === 'GET' && path === '/events') return eventStream(board, request.signal);
    const target = /^\/sessions\/(?<id>[\w.~-]+)\/(concerns|proposals\/(?<proposal>[\w-]+))$/.exec(path);
    const { id, proposal } = target?.groups ?? {};
    if (id === undefined || request.method !== 'PUT') return problem(404, 'There is nothing here.');
    return change(board, id, proposal, request);
  };
}

async function change(board: Switchboard, session: string, proposal: string | undefined, request: Request) {
  const body = await readJson(request, {}, MAX_BODY);
  if (body instanceof Response) return problem(body.status, 'The body is too long, or it is not JSON.');
  const concerns = read(body.value, 'concerns');
  const isAllowed = read(body.value, 'allow');
  try {
    if (proposal === undefined && isRecord(concerns)) {
      return answered(await board.change(session, concerns, read(body.value, 'onlyNarrows') === true));
    }
    if (proposal !== undefined && typeof isAllowed === 'boolean') {
      return answered(await board.answer(session, proposal, isAllowed));
    }
  } catch (cause) {
    if (cause instanceof SessionGoneError) return problem(404, cause.message);
    if (cause instanceof ChangeRefusedError) return problem(422, cause.message);
    throw cause;
  }
  return problem(400, 'The body must have "concerns", an object, or for a proposal "allow", true or false.');
}

const answered = (state: PanelState): Response => json(200, { format: 1, sessions: [state] });

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
