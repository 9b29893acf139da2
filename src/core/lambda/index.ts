export { parseExact } from '../exact-json.js';
export { LivePolicy } from '../gate/request/live-policy.js';
export type { Authorization } from '../http/callers/authorization.js';
export {
  ServerModuleError,
  type ServerModuleExports,
  serverOfModule,
} from '../http/servers/server-of-module.js';
export type { RequestLog, WriteLog } from '../telemetry/request-log.js';
export type { UpstreamEvent } from '../telemetry/upstream-event.js';
export type { BufferedHandler } from './buffered.js';
export { StreamingError } from './check-tokens.js';
export type { LambdaContext } from './deadline.js';
export type { Authorizer, HttpEvent, IamIdentity } from './event.js';
export {
  type CommonFunctionOptions,
  createFunction,
  type FunctionOptions,
  type HandlerFunctionOptions,
  type ServerFunctionOptions,
} from './function.js';
export { createLog, createLogger, createUpstreamLog } from './log.js';
export { EventError, type RestEvent } from './read-event.js';
export type { HttpResult } from './result.js';
export { loadSecrets, SecretError, type SecretReaders, upstreamHeaders } from './secrets.js';
export { SettingsError } from './settings.js';
export type { StreamingHandler } from './streamed.js';
