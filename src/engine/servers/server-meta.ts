import { readOwn } from '../expression/evaluate.js';

/** The keys of `src/wire/server-names.ts`: which of several servers lists a primitive, and what that server calls it. */
export const SERVER = 'io.github.mcp-concerns/server';
export const OWN = 'io.github.mcp-concerns/own';

interface Listed {
  readonly _meta?: unknown;
}

/** Returns the name of the server that lists a primitive, if it is one of several. */
export const serverOf = ({ _meta }: Listed): unknown => readOwn(_meta, SERVER);

/** Returns what one of several servers calls a primitive: `{ name }` or `{ uri }`. */
export const ownNames = ({ _meta }: Listed): unknown => readOwn(_meta, OWN);
