import type { Answer, Failure } from '../../wire/messages.js';
import { describePolicy } from '../concerns/declare.js';
import { judgeInitialize, settleDiscover, settleInitialize } from '../concerns/initialize.js';
import { updateConcerns } from '../concerns/update-concerns.js';
import { judgeAccess, judgeProbe, probedRequest } from '../enforce/access-check.js';
import { redactFailure } from '../enforce/failure-redaction.js';
import { settleAccess } from '../enforce/redaction.js';
import { gathering } from '../gather/gather.js';
import { judgeList, settleList } from '../lists/list-request.js';
import { PANEL_HANDLERS } from '../panel/panel-handlers.js';
import type { Exchange, Handler, Handlers } from '../request/exchange.js';
import { readConfiguration } from '../request/with-configuration.js';
import { ROUTES } from '../table/routes.js';
import { rememberTask } from '../tasks/remember-task.js';
import { judgeTaskList, settleTaskList, withoutTaskList } from '../tasks/task-list.js';
import { judgeTask, settleTask } from '../tasks/task-request.js';
import { judgeSubscription } from '../tasks/task-subscription.js';

/** Lets the server answer. */
function judgePassing(exchange: Exchange): void {
  exchange.report();
  exchange.pass();
}

/** The client must not learn the id of a task before it is remembered. */
const ACCESS_ROW = gathering({ judge: judgeAccess, settle: settleAccess });
const ACCESS: Handler = {
  ...ACCESS_ROW,
  settle: (exchange, message) =>
    after(ACCESS_ROW.settle?.(exchange, message) ?? message, (each) => rememberTask(exchange, each)),
};

/** Continues at once if there is nothing to wait for: SDK v2 turns some answers into an HTTP status only then. */
const after = (
  message: Answer | Failure | Promise<Answer | Failure>,
  next: (message: Answer | Failure) => Answer | Failure | Promise<Answer | Failure>,
): Answer | Failure | Promise<Answer | Failure> =>
  message instanceof Promise ? message.then(next) : next(message);

/** Under `enforce`, the answer is redacted by the configuration of the request. */
function judgeDiscover(exchange: Exchange): void | Promise<void> {
  return exchange.isEnforced
    ? readConfiguration(exchange, () => judgePassing(exchange))
    : judgePassing(exchange);
}

/** Redacts errors only: results of these methods name nothing. */
function settlePassing(
  exchange: Exchange,
  message: Answer | Failure,
): Answer | Failure | Promise<Answer | Failure> {
  // Nothing filters what `settings.methods` lets pass.
  return 'error' in message && ROUTES.has(exchange.request.method)
    ? redactFailure(exchange, message)
    : message;
}

const PASS: Handler = { judge: judgePassing, settle: settlePassing };

/** What the gate does with the requests of each route. The table of methods, `messages/routes.ts`, names the routes. */
export const HANDLERS: Handlers = {
  list: gathering({ judge: judgeList, settle: settleList }),
  access: ACCESS,
  scan: ACCESS,
  tasks: { judge: judgeTaskList, settle: settleTaskList },
  task: { judge: judgeTask, settle: settleTask },
  initialize: {
    judge: judgeInitialize,
    settle: (exchange, message) => settleInitialize(exchange, withoutTaskList(exchange, message)),
  },
  discover: { judge: judgeDiscover, settle: settleDiscover },
  listConcerns: {
    judge(exchange) {
      exchange.report();
      exchange.reply({ ...describePolicy(exchange.policy) });
    },
  },
  updateConcerns: { judge: updateConcerns },
  ...PANEL_HANDLERS,
  probe: gathering({ judge: judgeProbe, subject: probedRequest }),
  pass: PASS,
  handler: { judge: judgeSubscription, settle: settlePassing },
  // `enforce` refuses it before any handler.
  unknown: PASS,
};
