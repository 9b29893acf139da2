import { type Answer, ERRORS, type Failure, read } from '../../wire/messages.js';
import { DEFINITION, NOTHING } from '../enforce/exceptions.js';
import { failRedacted, redactRecords, redactResponse } from '../enforce/redaction.js';
import { canHide, unshared } from '../request/configure.js';
import {
  ask,
  pass,
  type RequestOutcome,
  type RequestSteps,
  type ResponseOutcome,
  type ResponseSteps,
  reply,
} from '../request/decision.js';
import type { Facts, RequestFacts } from '../request/facts.js';
import { describeConcerns } from '../request/report.js';
import { itemsOf, wholeListOf } from '../request/whole-list.js';
import { filterFor } from './list-request.js';
import { otherMembers } from './other-members.js';

/** The lists in a group (MCP Toolbox for Databases, "Groups Specification"). Neither they nor those of groups have pages. */
const MEMBERS = ['tools', 'prompts'] as const;
const ONE_PAGE = { pages: 1 };
/** Groups beyond these are not listed: each costs a request. */
const MAX_GROUPS = 1000;

interface Group {
  readonly result: Record<string, unknown>;
  /** Whether the policy hides all members that the server has put into it. */
  readonly isHidden: boolean;
}

/**
 * Answers `groups/list`: leaves out groups of which the policy hides all members. The server's list does not have the
 * members, so each group is read.
 */
export function* judgeGroupList(asked: RequestFacts): RequestSteps<RequestOutcome> {
  const facts = yield* ask({ need: 'preferences', invalid: 'refuse' });
  if (!canHide(facts.configuration)) return pass(asked);
  const { method, params } = facts.request;
  const { pages, end } = yield* ask({ need: 'pages', method, field: 'groups', bounds: ONE_PAGE, params });
  if (end.kind === 'failed') return yield* failRedacted(facts, end.error);
  const listed = read(pages[0], 'groups');
  const shown: unknown[] = [];
  for (const group of Array.isArray(listed) ? listed.slice(0, MAX_GROUPS) : []) {
    // A text or a list in place of a group would leave as it is.
    if (typeof read(group, 'name') !== 'string') continue;
    const found = yield* readGroup(facts, method.replace(/list$/, 'get'), { name: read(group, 'name') });
    // A group that cannot be read may have nothing that is shown.
    if (!('error' in found) && !found.isHidden) shown.push(group);
  }
  const groups = yield* redactRecords(facts, shown, () => DEFINITION);
  return answered(facts, { ...(yield* redactedMembers(facts, pages[0], 'groups')), groups });
}

/**
 * Answers `groups/get` with the visible members of a group. For a group whose members are all hidden, the server is asked
 * for one that does not exist, as for hidden primitives. The same happens for an unknown one, so that it takes as long.
 */
export function* judgeGroup(asked: RequestFacts): RequestSteps<RequestOutcome> {
  const facts = yield* ask({ need: 'preferences', invalid: 'refuse' });
  if (!canHide(facts.configuration)) return pass(asked);
  const { method, params = {} } = facts.request;
  const { name: original } = params;
  const found = yield* readGroup(facts, method, params);
  // Without a name, the group of everything is asked for.
  const isNamed = typeof original === 'string' && original !== '';
  const isUnknown = 'error' in found ? found.error.code === ERRORS.invalidParams : found.isHidden;
  if (isNamed && isUnknown) {
    const sent = `unknown-${crypto.randomUUID()}`;
    return { to: 'server', params: { ...params, name: sent }, substitute: { name: sent, sent, original } };
  }
  return 'error' in found ? yield* failRedacted(facts, found.error) : answered(facts, found.result);
}

/** Puts the name of the group back into the answer about one that does not exist. */
export function* settleGroup(facts: Facts, message: Answer | Failure): ResponseSteps<ResponseOutcome> {
  return facts.substitute === undefined ? { message } : yield* redactResponse(facts, message);
}

const answered = (facts: Facts, result: Record<string, unknown>): RequestOutcome =>
  reply(unshared(facts.era, result), () => [describeConcerns(facts.configuration, facts.logged)]);

/** Asks the server for a group, and filters each of its lists as the list of that kind is filtered. */
function* readGroup(
  facts: Facts,
  method: string,
  params: Record<string, unknown>,
): ResponseSteps<Group | { readonly error: Failure['error'] }> {
  const { pages, end } = yield* ask({ need: 'pages', method, field: 'tools', bounds: ONE_PAGE, params });
  if (end.kind === 'failed') return end;
  const [result = {}] = pages;
  const filtered: Record<string, readonly object[]> = {};
  let [given, shown] = [0, 0];
  for (const kind of MEMBERS) {
    const members = itemsOf(kind, result);
    if (members === undefined) continue;
    const whole = wholeListOf(facts.policy, kind, [{ [kind]: members }], facts.connection.servers);
    const { items } = yield* filterFor(facts, { kind, filter: undefined, names: [] }, whole, []);
    given += members.length;
    shown += items.length;
    filtered[kind] = items;
  }
  const name = typeof params.name === 'string' ? params.name : '';
  return {
    result: { ...(yield* redactedMembers(facts, result, 'tools')), name, ...filtered },
    isHidden: given > 0 && shown === 0,
  };
}

/** Returns the members of a result besides its lists, as this client may know them. */
function* redactedMembers(facts: Facts, result: unknown, list: string): ResponseSteps<object> {
  const [members = {}] = yield* redactRecords(facts, [otherMembers(facts, result, list)], () => NOTHING);
  return Object(members);
}
