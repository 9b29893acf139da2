import { callerOfToken, type TaskCaller } from '../../core/session/task-owner.js';
import type { AnswerChange, Answerer, CallSender } from '../../core/wire/calls.js';
import { METHODS, read, TASK_LIST, TASK_RESULT } from '../../core/wire/messages.js';
import { MISSING_EXTENSION, supportsTasks } from '../../core/wire/task-streams.js';
import type { Tasks } from '../port/tasks.js';
import { isTaskId } from '../records/owner.js';
import { answerAboutTask } from '../wire/about-task.js';
import { NOT_FOUND, notATask, type TaskCall } from '../wire/answer.js';
import { answerList, listTasks } from '../wire/list.js';
import { isQuestionId, takeResponse } from '../wire/questions.js';
import { callTask } from '../wire/start.js';
import { addTools, declareLegacy, declareModern, declareTools } from './declare.js';
import { followTask, listenToTasks } from './subscriptions.js';

/** The list of a server that has no tools of its own, and does not know the method. */
const NO_TOOLS = {
  legacy: { tools: [] },
  modern: { resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'private' },
} as const;

/**
 * Answers the calls about tasks, in both eras of the protocol, and adds the tools of tasks to the server's answers.
 *
 * @param tasks the tasks
 * @param hasOthers whether the server has tasks of its own
 */
export function answerCalls(tasks: Tasks, hasOthers: () => boolean): Answerer {
  const isPlain = tasks.plain === true;
  const known = <T extends CallSender>(sent: T) => ({ ...sent, tasks, caller: callerOf(sent) });
  return {
    tools: isPlain ? [] : [...tasks.definitions.keys()],
    session: tasks.session,
    answer: (call) => answer(known(call)),
    list: (query, sender) => listTasks(tasks, callerOf(sender), query),
    take: (response, sent) => (isQuestionId(response.id) ? takeResponse(known(sent), response) : undefined),
    answered(call, sent) {
      const taskId = 'result' in sent ? read(sent.result, 'task', 'taskId') : undefined;
      if (call.method !== 'tools/call' || call.era === 'modern' || !isTaskId(taskId)) return undefined;
      return followTask(taskId, known(call));
    },
  };

  function answer(call: TaskCall): ReturnType<Answerer['answer']> {
    const { method, params, era, capabilities, connection } = call;
    if (isPlain && !PLAIN_METHODS.has(method)) return undefined;
    switch (method) {
      case METHODS.initialize:
        return { result: isPlain ? declareTools : declareLegacy };
      case METHODS.discover:
        return { result: isPlain ? declareTools : declareModern };
      case 'tools/list': {
        const result: AnswerChange['result'] = (given) => addTools(given, tasks, call);
        return { result, withoutMethod: { result: result(NO_TOOLS[era]) } };
      }
      case 'tools/call': {
        const name = String(read(params, 'name'));
        const definition = tasks.definitions.get(name);
        if (definition !== undefined) return callTask(definition, call);
        // Before the server: one that knows no tasks would run the tool (MCP 2025-11-25, "Tasks: Tool-Level Negotiation").
        const isRefused = era === 'legacy' && read(params, 'task') !== undefined && !hasOthers();
        return isRefused ? Promise.resolve(notATask(name)) : undefined;
      }
      case METHODS.listen: {
        // Others belong to the server.
        const isOfTasks = read(params, 'notifications', 'taskIds') !== undefined && era === 'modern';
        return isOfTasks && connection ? listenToTasks(call, connection.shows) : undefined;
      }
      case TASK_LIST:
        return era === 'legacy' ? answerList(call) : undefined;
      case 'tasks/get':
      case 'tasks/update':
      case 'tasks/cancel':
      case TASK_RESULT:
        if (isTaskId(read(params, 'taskId'))) return answerAboutTask(call);
        // The server may have tasks of its own, whose ids look different.
        if (era === 'legacy') return { withoutMethod: NOT_FOUND };
        if (!supportsTasks(capabilities)) return Promise.resolve(MISSING_EXTENSION);
        return method === TASK_RESULT ? undefined : { withoutMethod: NOT_FOUND };
      default:
        return undefined;
    }
  }
}

/** What concerns the tools of tasks where nothing keeps tasks. */
const PLAIN_METHODS: ReadonlySet<string> = new Set([
  METHODS.initialize,
  METHODS.discover,
  'tools/list',
  'tools/call',
]);

/** Returns the verified caller, by issuer and subject or by its client if there is no subject; else the session. */
function callerOf({ extra, session }: CallSender): TaskCaller {
  const { extra: claims, clientId } = extra?.authInfo ?? {};
  return callerOfToken(read(claims, 'iss'), read(claims, 'sub'), clientId) ?? { session };
}
