export type { TaskCaller } from '../core/session/task-owner.js';
export { createDeployedTasks } from './attach/deployed-tasks.js';
export { withTasks } from './attach/with-tasks.js';
export type {
  BranchValues,
  StepContext,
  StepOptions,
  TaskAnswer,
  TaskContext,
  TaskQuestion,
} from './author/context.js';
export {
  defineTask,
  type JsonObjectSchema,
  type StandardTaskSchema,
  type TaskArguments,
  type TaskDefinition,
  type TaskOptions,
  type TaskResult,
  type TaskSchema,
  type TaskSupport,
} from './author/definition.js';
export {
  TaskCancelled,
  TaskDefinitionError,
  TaskProtocolError,
  TaskQuestionError,
  type TaskRule,
  TaskRuleError,
  TaskStepError,
} from './author/errors.js';
export { readExportedTasks } from './author/exported-tasks.js';
export { createEmbeddedEngine, type EmbeddedEngineOptions } from './execution/embedded.js';
export type { TaskEngine } from './execution/engine.js';
export { answerable } from './execution/questions.js';
export {
  type AnsweredTask,
  type CancelledTask,
  createTasks,
  type StartedTask,
  type StartOptions,
  type Tasks,
  type TasksOptions,
} from './port/tasks.js';
export { createMemoryRecords } from './records/memory.js';
export {
  stateOf,
  type TaskChange,
  type TaskEnd,
  type TaskFailure,
  type TaskInputRequest,
  type TaskPage,
  type TaskPosition,
  type TaskQuery,
  type TaskRecord,
  type TaskRecords,
  type TaskState,
  type TaskStatus,
  TaskStoreError,
  type TaskSummary,
} from './records/record.js';
