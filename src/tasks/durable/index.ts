export { createDurableEngine, type DurableEngineOptions } from './engine.js';
export { TaskEngineError, TaskFunctionError } from './errors.js';
export { createTaskWorker, type TaskWorker, type TaskWorkerOptions } from './worker.js';
