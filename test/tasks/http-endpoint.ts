import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { createHandler } from '../../src/http/index.js';
import { type LocalEndpoint, listenLocally } from '../../src/http/local.js';
import { createMemoryStore, type SessionStore } from '../../src/index.js';
import { type Tasks, withTasks } from '../../src/tasks/index.js';
import { policyOf } from '../policy/author.js';

const HIDING = (hidden: readonly string[]): string => `version: 1
concerns: { audience: { values: [staff, public], set-by: operator, claim: audience, default: public } }
settings: { enforcement: enforce, unmapped: show }
primitives: { tools: { none: { audience: staff }${hidden.map((tool) => `, ${tool}: { audience: staff }`).join('')} } }
`;

/**
 * Starts an HTTP endpoint of SDK v1 whose requests go to two environments in turn. They share a session store and the
 * records behind the tasks, and nothing else.
 *
 * @param makeTasks makes the tasks of one environment
 * @param hidden tools that the policy hides
 */
export async function startEnvironments(
  makeTasks: () => Tasks,
  { hidden = [], store = createMemoryStore() }: { hidden?: readonly string[]; store?: SessionStore } = {},
): Promise<LocalEndpoint> {
  const environments = [makeTasks(), makeTasks()].map((tasks) =>
    createHandler({
      server: () => withTasks(new McpServer({ name: 'v1', version: '1.0.0' }), tasks),
      policy: policyOf(HIDING(hidden)),
      store,
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
