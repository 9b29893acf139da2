export type { RequestLog, StoreCall, WriteLog } from '../telemetry/request-log.js';
export { type Authorization, requireLogin } from './callers/authorization.js';
export { HandlerError } from './callers/principal.js';
export type { FetchHandler, FetchOptions, HandlerOptions, ServerOfRequest } from './fetch-handler.js';
export type { KnownCatalog, SavedCatalog } from './known-lists/stub-server.js';
export type { Observer } from './observer.js';
export { createHandler } from './sdk-v1.js';
