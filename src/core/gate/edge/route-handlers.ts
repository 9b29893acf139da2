import type { Answer, Failure } from '../../wire/messages.js';
import { describePolicy } from '../concerns/declare.js';
import { judgeDiscover, judgeInitialize, settleDiscover, settleInitialize } from '../concerns/initialize.js';
import { updateConcerns } from '../concerns/update-concerns.js';
import { judgeAccess, judgeProbe, settleAccess } from '../enforce/access-check.js';
import { redactFailure } from '../enforce/redaction.js';
import { judgeGroup, judgeGroupList, settleGroup } from '../lists/groups.js';
import { judgeList, settleList } from '../lists/list-request.js';
import { judgePanel } from '../panel/judge-panel.js';
import {
  decided,
  pass,
  type ResponseOutcome,
  type ResponseSteps,
  type RouteHandler,
  reply,
} from '../request/decision.js';
import type { Facts } from '../request/facts.js';
import { ROUTES, type Route } from '../table/routes.js';
import { settleCall } from '../tasks/remember-task.js';
import { judgeTaskList, settleTaskList, withoutTaskList } from '../tasks/task-list.js';
import { judgeTask, settleTask } from '../tasks/task-request.js';
import { judgeStream } from '../tasks/task-streams.js';

/** Redacts errors only: results of these methods name nothing. */
function* settlePassing(facts: Facts, message: Answer | Failure): ResponseSteps<ResponseOutcome> {
  // Nothing filters what `settings.methods` lets pass.
  const isRedacted = 'error' in message && ROUTES.has(facts.request.method);
  return { message: isRedacted ? yield* redactFailure(facts, message) : message };
}

const ACCESS: RouteHandler = { onRequest: judgeAccess, onResponse: settleCall };
const PASS: RouteHandler = {
  onRequest: (facts) => decided(pass(facts, () => [{}])),
  onResponse: settlePassing,
};

export type RouteHandlers = { readonly [To in Route['to']]: RouteHandler };

/** How requests of each route are decided. The table of methods, `table/methods.yaml`, names the routes. */
export const ROUTE_HANDLERS: RouteHandlers = {
  list: { onRequest: judgeList, onResponse: settleList },
  access: ACCESS,
  scan: ACCESS,
  tasks: { onRequest: judgeTaskList, onResponse: settleTaskList },
  task: { onRequest: judgeTask, onResponse: settleTask, inOrder: true },
  groups: { onRequest: judgeGroupList, onResponse: settleAccess },
  group: { onRequest: judgeGroup, onResponse: settleGroup },
  initialize: {
    onRequest: judgeInitialize,
    onResponse: (facts, message) => settleInitialize(facts, withoutTaskList(facts, message)),
  },
  discover: { onRequest: judgeDiscover, onResponse: settleDiscover },
  listConcerns: {
    onRequest: ({ policy }) => decided(reply({ ...describePolicy(policy) }, () => [{}])),
    onResponse: settleAccess,
  },
  updateConcerns: { onRequest: updateConcerns, onResponse: settleAccess, inOrder: true },
  panel: { onRequest: judgePanel, onResponse: settleAccess },
  probe: { onRequest: judgeProbe, onResponse: settleAccess },
  pass: PASS,
  listen: { onRequest: judgeStream, onResponse: settleAccess },
  // `enforce` refuses it before any decision.
  unknown: PASS,
};
