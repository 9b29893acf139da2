import type { Answer, Failure } from '../../wire/messages.js';
import { describePolicy } from '../concerns/declare.js';
import { judgeDiscover, judgeInitialize, settleDiscover, settleInitialize } from '../concerns/initialize.js';
import { updateConcerns } from '../concerns/update-concerns.js';
import { judgeAccess, judgeProbe, settleAccess } from '../enforce/access-check.js';
import { redactFailure } from '../enforce/redaction.js';
import { judgeGroup, judgeGroupList, settleGroup } from '../lists/groups.js';
import { judgeList, settleList } from '../lists/list-request.js';
import { judgePanel } from '../panel/judge-panel.js';
import { decided, pass, type Row, reply, type Settled, type Settling } from '../request/decision.js';
import type { Facts } from '../request/facts.js';
import { ROUTES, type Route } from '../table/routes.js';
import { settleCall } from '../tasks/remember-task.js';
import { judgeTaskList, settleTaskList, withoutTaskList } from '../tasks/task-list.js';
import { judgeTask, settleTask } from '../tasks/task-request.js';
import { judgeStream } from '../tasks/task-streams.js';

/** Redacts errors only: results of these methods name nothing. */
function* settlePassing(facts: Facts, message: Answer | Failure): Settling<Settled> {
  // Nothing filters what `settings.methods` lets pass.
  const isRedacted = 'error' in message && ROUTES.has(facts.request.method);
  return { message: isRedacted ? yield* redactFailure(facts, message) : message };
}

const ACCESS: Row = { judge: judgeAccess, settle: settleCall };
const PASS: Row = { judge: (facts) => decided(pass(facts, () => [{}])), settle: settlePassing };

export type Rows = { readonly [To in Route['to']]: Row };

/** How requests of each route are decided. The table of methods, `table/methods.yaml`, names the routes. */
export const ROWS: Rows = {
  list: { judge: judgeList, settle: settleList },
  access: ACCESS,
  scan: ACCESS,
  tasks: { judge: judgeTaskList, settle: settleTaskList },
  task: { judge: judgeTask, settle: settleTask, inOrder: true },
  groups: { judge: judgeGroupList, settle: settleAccess },
  group: { judge: judgeGroup, settle: settleGroup },
  initialize: {
    judge: judgeInitialize,
    settle: (facts, message) => settleInitialize(facts, withoutTaskList(facts, message)),
  },
  discover: { judge: judgeDiscover, settle: settleDiscover },
  listConcerns: {
    judge: ({ policy }) => decided(reply({ ...describePolicy(policy) }, () => [{}])),
    settle: settleAccess,
  },
  updateConcerns: { judge: updateConcerns, settle: settleAccess, inOrder: true },
  panel: { judge: judgePanel, settle: settleAccess },
  probe: { judge: judgeProbe, settle: settleAccess },
  pass: PASS,
  listen: { judge: judgeStream, settle: settleAccess },
  // `enforce` refuses it before any decision.
  unknown: PASS,
};
