import { KINDS } from '../../engine/policy.js';
import {
  CAPABILITIES,
  type Capability,
  ERRORS,
  LISTS,
  METHODS,
  type Request,
  read,
} from '../../wire/messages.js';
import { lacksScope } from '../enforce/explain-target.js';
import { isUriKnown } from '../enforce/visibility.js';
import { isRedacted } from '../request/configure.js';
import {
  ask,
  type LazyReport,
  listsFor,
  pass,
  type RequestOutcome,
  type RequestSteps,
  refuse,
} from '../request/decision.js';
import type { Facts } from '../request/facts.js';
import { NOT_CHECKED } from '../request/messages.js';
import { describeConcerns } from '../request/report.js';
import { MAX_URIS } from '../table/routes.js';

/**
 * Decides which lists and resources a stream of changes is about (MCP 2026-07-28, Subscriptions). The server gets the request after that, so it
 * acknowledges and watches nothing that the client must not know. Each change is decided again when it arrives.
 */
export function* judgeListen(facts: Facts): RequestSteps<RequestOutcome> {
  const { configuration, request } = facts;
  const tell: LazyReport = () => [describeConcerns(configuration, [])];
  const announced = announcedTo(request);
  // What the client sees now is what later lists are compared with.
  for (const kind of KINDS)
    if (announced.includes(LISTS[kind].capability)) yield* ask({ need: 'whole', kind });
  const uris = read(request.params, 'notifications', 'resourceSubscriptions');
  if (!isRedacted(facts) || !Array.isArray(uris)) return pass(facts, tell);
  if (uris.length > MAX_URIS) {
    return refuse(
      ERRORS.invalidParams,
      `A stream can be about ${MAX_URIS} resources. Open another one for more.`,
    );
  }
  const { lists, enough } = yield* listsFor('uri', uris.map(String));
  if (!enough) return refuse(ERRORS.internal, NOT_CHECKED);
  const resourceSubscriptions = uris.filter(
    (uri) => isUriKnown(lists, String(uri), configuration) && !lacksScope(lists, String(uri), configuration),
  );
  const notifications = { ...(request.params?.notifications as object), resourceSubscriptions };
  return { to: 'server', params: { ...request.params, notifications }, tell };
}

/**
 * Returns the capabilities whose changes a modern client is told of: those that its stream asks for. Without a stream, SDK v2
 * has one in front of the gate, and passes on only what it asks for.
 */
export const announcedTo = ({ method, params }: Request): readonly Capability[] =>
  CAPABILITIES.filter(
    (each) => method !== METHODS.listen || read(params, 'notifications', `${each}ListChanged`) === true,
  );
