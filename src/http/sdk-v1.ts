import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { FetchHandler, HandlerOptions } from './fetch-handler.js';
import type { KnownLists } from './known-lists/known-lists.js';
import { createHandler as createLegacyHandler, serve as serveLegacy } from './legacy.js';

export const createHandler = (options: HandlerOptions): FetchHandler =>
  createLegacyHandler(options, WebStandardStreamableHTTPServerTransport);

export const serve = (options: HandlerOptions, lists?: KnownLists): FetchHandler =>
  serveLegacy(options, lists, WebStandardStreamableHTTPServerTransport);
