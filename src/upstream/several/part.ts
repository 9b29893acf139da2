import { type Members, membersOf, read, SERVER_META } from '../../wire/messages.js';
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
import type { Member } from './member.js';
import { renameResult } from './rename.js';

/** One of several servers as one client sees it. */
export interface Part {
  readonly member: Member;
  readonly backend: Backend;
}

/** Sends a request to one of the servers. What that server tells and asks meanwhile says whose it is. */
export const ask = ({ member: { slug }, backend }: Part, call: ServerCall): Promise<AnswerOverHttp> =>
  backend.answer({ ...call, notify: telling(slug, call.notify), ask: asking(slug, call.ask) });

/** Returns how one of the servers reaches the client outside of requests. */
export const portOf = (slug: string, port: ClientPort): ClientPort => ({
  tell: telling(slug, port.tell),
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
  return (method, params, signal) => given(method, saidBy(slug, membersOf(withoutToken(params))), signal);
}

/** Says which server a message is from, because it knows only its own names. */
const saidBy = (slug: string, params: Members): Members => ({
  ...params,
  _meta: { ...membersOf(params._meta), [SERVER_META]: slug },
});

/** Reports of progress name nothing but a token: several servers would report under the one of the client, or choose the same. */
export function withoutToken(params: Params): Params {
  const token = read(params, '_meta', 'progressToken');
  if (params === undefined || token === undefined) return params;
  return withoutMeta(params, ['progressToken']);
}
