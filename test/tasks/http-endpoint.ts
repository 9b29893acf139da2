import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer as McpServerV2 } from '@modelcontextprotocol/server';
import { createHandler } from '../../src/core/http/index.js';
import { type LocalEndpoint, listenLocally } from '../../src/core/http/local.js';
import { createHandler as createHandlerV2 } from '../../src/core/http/v2.js';
import { createMemoryStore } from '../../src/index.js';
import { type Tasks, withTasks } from '../../src/tasks/index.js';
import { policyOf } from '../policy/author.js';

const HIDING = (hidden: readonly string[]): string => `version: 1
concerns: { audience: { values: [staff, public], set-by: operator, claim: audience, default: public } }
settings: { enforcement: enforce, unmapped: show }
primitives: { tools: { none: { audience: staff }${hidden.map((tool) => `, ${tool}: { audience: staff }`).join('')} } }
`;

/**
 * Starts an HTTP endpoint whose requests go to two environments in turn. They share a session store and the records behind
 * the tasks, and nothing else.
 *
 * @param makeTasks makes the tasks of one environment
 * @param hidden tools that the policy hides
 * @param sdk the SDK of the servers: v2 serves both eras
 */
export async function startEnvironments(
  makeTasks: () => Tasks,
  { hidden = [], sdk = 'v1' }: { readonly hidden?: readonly string[]; readonly sdk?: 'v1' | 'v2' } = {},
): Promise<LocalEndpoint> {
  const shared = { policy: policyOf(HIDING(hidden)), store: createMemoryStore() };
  const environments = [makeTasks(), makeTasks()].map((tasks) =>
    sdk === 'v1'
      ? createHandler({
          server: () => withTasks(new McpServer({ name: 'v1', version: '1.0.0' }), tasks),
          ...shared,
        })
      : createHandlerV2({
          server: () => withTasks(new McpServerV2({ name: 'v2', version: '1.0.0' }), tasks),
          ...shared,
        }),
  );
  let requests = 0;
  const handle: ReturnType<typeof createHandler> = (request, given) => {
    const environment = environments[requests++ % environments.length];
    if (environment === undefined) throw new Error('There is no environment.');
    // A token is "issuer|subject" here. Without one, the session tells who calls.
    const token = (request.headers.get('authorization') ?? '').replace('Bearer ', '');
    const [iss, sub] = token.split('|');
    const authInfo = { token, clientId: '', scopes: [], extra: { iss, sub } };
    return environment(request, sub === undefined ? given : { ...given, authInfo });
  };
  return listenLocally(handle, {});
}
