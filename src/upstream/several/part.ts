import { SERVER_META } from '../../engine/servers/outside-names.js';
import { type Members, membersOf, read } from '../../wire/messages.js';
import type { Backend, ClientPort } from '../backend.js';
import {
  type AnswerOverHttp,
  type Ask,
  type Notify,
  type Params,
  type ServerCall,
  unaskable,
} from '../call.js';
import { withoutMeta } from '../eras/envelope.js';
import type { ListsOfOne } from './lists-of-one.js';
import type { Member } from './member.js';
import { renameResult } from './rename.js';

/** One of several servers as one client sees it. */
export interface Part {
  readonly member: Member;
  readonly backend: Backend;
  readonly lists: ListsOfOne;
}

/** Sends a request to one of the servers. What that server tells and asks meanwhile says whose it is. */
export const ask = ({ member: { slug }, backend, lists }: Part, call: ServerCall): Promise<AnswerOverHttp> =>
  backend.answer({ ...call, notify: lists.after(telling(slug, call.notify)), ask: asking(slug, call.ask) });

/** Returns how one of the servers reaches the client outside of requests. */
export const portOf = (slug: string, port: ClientPort, lists: ListsOfOne): ClientPort => ({
  tell: lists.after(telling(slug, port.tell)),
  ask: asking(slug, port.ask),
});

const telling =
  (slug: string, tell: Notify): Notify =>
  (method, params) => {
    if (params === undefined) return tell(method, params);
    const logger = typeof params.logger === 'string' ? `${slug}/${params.logger}` : slug;
    const isLog = method === 'notifications/message';
    tell(method, saidBy(slug, isLog ? { ...params, logger } : renameResult(slug, params)));
  };

function asking(slug: string, given: Ask): Ask {
  if (given === unaskable) return unaskable;
  return (method, params, signal) => {
    const token = read(params, '_meta', 'progressToken');
    const progress = token === undefined ? {} : { progressToken: outwardToken(slug, token) };
    return given(method, saidBy(slug, membersOf(params), progress), signal);
  };
}

/** Says which server a message is from, because it knows only its own names. */
const saidBy = (slug: string, params: Members, more: Members = {}): Members => ({
  ...params,
  _meta: { ...membersOf(params._meta), ...more, [SERVER_META]: slug },
});

/** Two servers may choose the same progress token for their questions. */
const outwardToken = (slug: string, token: unknown): string => `${slug}:${JSON.stringify(token)}`;

/** Returns the server that chose a progress token, and the token as it chose it; `undefined` for any other. */
export function inwardToken(given: unknown): { readonly slug: string; readonly token: unknown } | undefined {
  const [, slug, text] = (typeof given === 'string' && /^([^:]+):(.*)$/s.exec(given)) || [];
  if (slug === undefined || text === undefined) return undefined;
  try {
    return { slug, token: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Several servers would report progress under the one token of the client. */
export function withoutToken(params: Params): Params {
  const token = read(params, '_meta', 'progressToken');
  if (params === undefined || token === undefined) return params;
  return withoutMeta(params, ['progressToken']);
}
