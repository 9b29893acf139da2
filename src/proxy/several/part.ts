import type { NamedKind } from '../../core/engine/servers/outside-names.js';
import { read } from '../../core/wire/messages.js';
import type { Backend } from '../backend.js';
import type { AnswerOverHttp, Params, ServerCall } from '../call.js';
import { withoutMeta } from '../eras/envelope.js';
import type { AllLeftOut, ListsOfOne } from './lists-of-one.js';
import type { Member } from './member.js';
import type { Told } from './told.js';

/** One of several servers as one client sees it. */
export interface Part {
  readonly member: Member;
  readonly backend: Backend;
  readonly lists: ListsOfOne;
  readonly told: Told;
  /** Says what is left out of a list, where the operator sees it. */
  readonly sayLeftOut: (kind: NamedKind, found: AllLeftOut) => void;
}

/** Sends a request to one of the servers. What that server tells and asks meanwhile says whose it is. */
export async function ask({ backend, told }: Part, call: ServerCall): Promise<AnswerOverHttp> {
  const { notify, ask: asks, ended } = told.during(call);
  const answer = await backend.answer({ ...call, notify, ask: asks });
  ended('result' in answer && read(answer.result, 'task') !== undefined);
  return answer;
}

/** Several servers would report progress under the one token of the client. */
export function withoutToken(params: Params): Params {
  const token = read(params, '_meta', 'progressToken');
  if (params === undefined || token === undefined) return params;
  return withoutMeta(params, ['progressToken']);
}
