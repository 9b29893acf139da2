import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Endpoint } from './generated/endpoint-schema.js';

/**
 * Finds the module of a server: `src/server.ts` is a path if the file exists, and otherwise the name of a package.
 *
 * @param server the server of the endpoint
 * @param root the folder of the project
 * @returns the server, with the absolute path of a module that is a file
 */
export function resolveServer(server: Endpoint['server'], root: string): Endpoint['server'] {
  if (server === undefined || !('module' in server)) return server;
  const file = resolve(root, server.module);
  return existsSync(file) ? { ...server, module: file } : server;
}
