import { setImmediate as nextTurn } from 'node:timers/promises';
import { preparePolicy } from '../../core/engine/policy.js';
import type { FetchHandler } from '../../core/http/fetch-handler.js';
import { ServerModuleError, serverOfModule } from '../../core/http/servers/server-of-module.js';
import { parsePolicy } from '../../core/policy/compile/parse.js';
import { ERRORS, LISTS, read } from '../../core/wire/messages.js';
import { isSdkServer, isSdkV2Server, memberOf } from '../../core/wire/transport-layer.js';
import { importModule } from '../import-module.js';

/** The module of a server, to try before it is deployed. */
export interface ProbedModule {
  /** The file to import. */
  readonly path: string;
  /** How messages call it. */
  readonly name: string;
  /** The major version of the SDK that its servers use. */
  readonly sdk: 1 | 2;
}

/**
 * What a module did. `refused`: it can serve nothing, wherever it runs. `failed`: it could not do here what it may be able to do
 * elsewhere, where it has a network, variables or a database.
 */
export type ProbeResult =
  | { readonly state: 'serves' }
  | { readonly state: 'refused' | 'failed'; readonly problem: string };

type Factory = (context?: unknown) => unknown;

/** Nothing may be visible under it, so that what is listed in spite of it did not pass the gate. */
const HIDES_ALL = 'version: 1\nsettings: { unmapped: hide, enforcement: enforce }\n';

/**
 * Imports the module of a server, makes two servers, and lists each behind a gate that hides everything, as the function does
 * for each request. For a process of its own: a module can do anything when it is imported.
 *
 * @param module the module
 * @returns what it did
 * @example
 * await probe({ path: 'build/lambda/server.mjs', name: 'src/server.ts', sdk: 1 }); // { state: 'serves' }
 */
export async function probe({ path, name, sdk }: ProbedModule): Promise<ProbeResult> {
  let module: unknown;
  try {
    module = await importModule(path);
  } catch (cause) {
    return failed(`${name} cannot be imported: ${firstLine(cause)}`);
  }
  let createServer: Factory;
  try {
    ({ createServer } = serverOfModule<Factory>(module, name));
  } catch (cause) {
    if (!(cause instanceof ServerModuleError)) throw cause;
    return refused(`${cause.message}${(await readsStdin()) ? ONLY_FOR_STDIO : ''}`);
  }
  if (await readsStdin())
    return refused(
      `${name} connects a server itself when it is imported. Connect it only where the module is the program, and export the function that makes it.`,
    );
  const context = sdk === 2 ? { era: 'legacy' } : undefined;
  const made: unknown[] = [];
  try {
    for (let count = 0; count < 2; count++) made.push(await createServer(context));
  } catch (cause) {
    return failed(`The function that ${name} exports failed: ${firstLine(cause)}`);
  }
  if (!made.every(isSdkServer))
    return refused(
      `The function that ${name} exports does not return a server. Return a new Server or McpServer of an MCP SDK.`,
    );
  // Without this, only the requests of 2026-07-28 would find out, each with the status 500.
  if (sdk === 2 && !made.every(isSdkV2Server))
    return refused((await import('../../core/http/sdk-v2.js')).NOT_SDK_V2);
  if (made[0] === made[1])
    return refused(
      `The function that ${name} exports returns the same server again. Return a new one each time it is called.`,
    );
  for (const server of made) await closed(server);
  return listed(createServer, name, sdk);
}

const ONLY_FOR_STDIO = ' It connects a server to stdio itself, which a function does not have.';

/** A module may connect without waiting for it, so the rest of its first turn runs before. */
async function readsStdin(): Promise<boolean> {
  await nextTurn();
  return ['data', 'readable'].some((event) => process.stdin.listenerCount(event) > 0);
}

async function closed(server: unknown): Promise<void> {
  const close = memberOf(server, 'close');
  if (typeof close === 'function') await close.call(server);
}

/** Sends the requests of a host through the handler that the function has. */
async function listed(createServer: Factory, name: string, sdk: 1 | 2): Promise<ProbeResult> {
  const { compiled } = parsePolicy(new Map([['probe.yaml', HIDES_ALL]]));
  if (compiled === undefined) throw new Error('The policy of the probe has errors.');
  const policy = preparePolicy(compiled);
  let thrown: unknown;
  const keep = (cause: unknown): void => {
    thrown = cause;
  };
  // What the function returns was checked.
  const server = createServer as never;
  // A project has one of the SDKs, and need not have the other.
  const handle: FetchHandler =
    sdk === 1
      ? (await import('../../core/http/sdk-v1.js')).createHandler({ server, policy })
      : (await import('../../core/http/sdk-v2.js')).createHandler({ server, policy });
  // Not in the modern era: there, SDK v2 refuses servers of another copy of itself, and the module may have its own.
  for (let count = 0; count < 2; count++) {
    const request = new Request('http://probe.invalid/mcp', { method: 'POST', body: LIST, headers: HEADERS });
    const text = await (await handle(request, { failed: keep })).text();
    const answer: unknown = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
    const code = read(answer, 'error', 'code');
    const reason = thrown === undefined ? read(answer, 'error', 'message') : firstLine(thrown);
    if (code !== undefined && code !== ERRORS.methodNotFound)
      return failed(`A server of ${name} does not list its tools: ${String(reason)}`);
    const tools = read(answer, 'result', 'tools');
    if (Array.isArray(tools) && tools.length > 0)
      return refused(`A server of ${name} lists its tools without passing through the gate.`);
  }
  return { state: 'serves' };
}

const HEADERS = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: LISTS.tools.method });

const refused = (problem: string): ProbeResult => ({ state: 'refused', problem });
const failed = (problem: string): ProbeResult => ({ state: 'failed', problem });

const firstLine = (cause: unknown): string =>
  (cause instanceof Error ? cause.message : String(cause)).split('\n', 1)[0] ?? '';
