import { join } from 'node:path';
import type { Programs } from './programs.js';

export const CLI = 'dist/cli/main.js';
export const FIXTURES = 'test/eras/fixtures';
export const SERVER = join(FIXTURES, 'server.mjs');

/** Starts a server over HTTP, and returns its URL. */
export const startServer = async (kind: string, programs: Programs): Promise<string> =>
  `http://127.0.0.1:${await programs.start([SERVER, kind, 'http'], /^(\d+)/)}/mcp`;
