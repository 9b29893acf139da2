export { HandlerError } from './callers/principal.js';
export { createHandler, type HandlerOptionsV2 as HandlerOptions } from './sdk-v2.js';
