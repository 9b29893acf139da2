export { createDurableEngine, type DurableEngineOptions } from './engine.js';
export { TaskEngineError, TaskFunctionError } from './failure.js';
export { createTaskWorker, type TaskWorker, type TaskWorkerOptions } from './worker.js';
