export type { Authorization } from '../http/authorization.js';
export type { RequestLog, WriteLog } from '../http/request-log.js';
export type { BufferedHandler } from './buffered.js';
export { StreamingError } from './check-tokens.js';
export type { LambdaContext } from './deadline.js';
export { EventError, type HttpEvent, type HttpResult } from './event.js';
export {
  type CommonFunctionOptions,
  createFunction,
  type FunctionOptions,
  type HandlerFunctionOptions,
  type ServerFunctionOptions,
} from './function.js';
export { createLog, createLogger } from './log.js';
export { SettingsError } from './settings.js';
export type { StreamingHandler } from './streamed.js';
