import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createFunction } from '../../../src/core/lambda/function.js';
import { checkSettings } from '../../../src/deploy/check-settings.js';
import { readEndpoint } from '../../../src/deploy/read-endpoint.js';
import { createProject, type Environment, type Project, startEnvironment } from '../../deploy/project.js';
import { policyOf, SECURITY } from '../../gate/gate-harness.js';
import { httpEvent, rpc, toolsOf, withClaims } from '../events.js';

/** A token in all texts of a server: the tests search for it. */
const MARK = 'token-marker-';
const V2026 = '2026-07-28';

/** A remote server of 2025-11-25 that lists a tool of the token of the request, and refuses requests without a token. */
class Remote {
  seen: (string | undefined)[] = [];
  redirect: string | undefined;
  private sessions = 0;
  readonly ended: string[] = [];
  private readonly server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { authorization } = request.headers;
    this.seen.push(authorization);
    if (this.redirect !== undefined) return void response.writeHead(307, { location: this.redirect }).end();
    if (authorization === undefined)
      return void response.writeHead(401, { 'www-authenticate': 'Bearer scope="read"' }).end();
    if (request.method === 'DELETE') {
      this.ended.push(String(request.headers['mcp-session-id']));
      return void response.writeHead(200).end();
    }
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method } = JSON.parse(body);
    if (id === undefined) return void response.writeHead(202).end();
    const result = resultOf(method, authorization.split(MARK)[1] ?? authorization);
    const answer =
      result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result };
    const session = method === 'initialize' ? { 'mcp-session-id': `${++this.sessions}` } : {};
    response.writeHead(result === undefined ? 404 : 200, { 'content-type': 'application/json', ...session });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });

  async listen(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/mcp`;
  }

  forget(): void {
    this.seen = [];
    this.redirect = undefined;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

function resultOf(method: string, who: string): object | undefined {
  if (method === 'initialize')
    return {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'remote', version: '1' },
    };
  if (method === 'tools/list') return { tools: [{ name: `of-${who}`, inputSchema: { type: 'object' } }] };
  if (method === 'tools/call') return { content: [{ type: 'text', text: `called by ${who}` }] };
  return method === 'ping' ? {} : undefined;
}

const [remote, other] = [new Remote(), new Remote()];
let project: Project;
let url: string;
let otherUrl: string;

beforeAll(async () => {
  [url, otherUrl] = await Promise.all([remote.listen(), other.listen()]);
  project = createProject();
  project.write(
    'policy.yaml',
    'version: 1\nconcerns: { effect: { values: [read-only, changes], match: at-most } }\n',
  );
});
afterAll(() => {
  remote.close();
  other.close();
});
beforeEach(() => {
  remote.forget();
  other.forget();
});

type Era = 'legacy' | 'modern';

/** The event of a host that sends a token, or none. */
function eventOf(era: Era, who: string | undefined, method: string, params: object = {}) {
  const token = who === undefined ? {} : { authorization: `Bearer ${MARK}${who}` };
  if (era === 'legacy') return httpEvent('POST', rpc(method, params), { headers: token });
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': V2026,
    'io.modelcontextprotocol/clientInfo': { name: 'same name', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const name = 'name' in params ? { 'mcp-name': String(params.name) } : {};
  const headers = { 'mcp-protocol-version': V2026, 'mcp-method': method, ...name, ...token };
  return httpEvent('POST', rpc(method, { ...params, _meta }), { headers });
}

describe('a function in front of a server that gets the header Authorization of hosts', () => {
  let environment: Environment;
  beforeAll(async () => {
    const endpoint = { policy: 'policy.yaml', server: { url, forward: ['authorization'] } };
    environment = startEnvironment(await project.package(endpoint));
  });
  afterAll(() => environment.close());

  it('lists to each host what its token may see, and sends no other token', async () => {
    expect(remote.seen).toEqual([]);
    const hosts = (['legacy', 'modern'] as const).flatMap((era) =>
      ['ada', 'bob'].map((who) => [era, `${who}-${era}`] as const),
    );
    for (const [era, who] of [...hosts, ...hosts]) {
      expect(toolsOf(await environment.invoke(eventOf(era, who, 'tools/list')))).toEqual([`of-${who}`]);
      const { json } = await environment.invoke(
        eventOf(era, who, 'tools/call', { name: `of-${who}`, arguments: {} }),
      );
      expect(json).toMatchObject({ result: { content: [{ text: `called by ${who}` }] } });
    }
    expect(new Set(remote.seen)).toEqual(new Set(hosts.map(([, who]) => `Bearer ${MARK}${who}`)));
    expect(environment.output()).toContain('tools/call');
    expect(environment.output()).not.toContain(MARK);
  });

  it.each(['legacy', 'modern'] as const)('ends its connection with the request of a %s host', async (era) => {
    const before = remote.ended.length;
    await environment.invoke(eventOf(era, 'eve', 'tools/list'));
    await expect.poll(() => remote.ended.length).toBe(before + 1);
  });

  it.each(['legacy', 'modern'] as const)(
    'tells a %s host without a token what the server says',
    async (era) => {
      // What an earlier request was answered is not known of this one.
      await environment.invoke(eventOf(era, 'ada', 'tools/list'));
      const { statusCode, headers } = await environment.invoke(eventOf(era, undefined, 'tools/list'));
      expect(statusCode).toBe(401);
      expect(headers).toMatchObject({ 'www-authenticate': 'Bearer scope="read"' });
    },
  );

  it.each(['legacy', 'modern'] as const)(
    'follows no redirect of a %s host to another origin',
    async (era) => {
      remote.redirect = otherUrl;
      const answered = await environment.invoke(eventOf(era, 'ada', 'tools/call', { name: 'any' }));
      expect(JSON.stringify(answered)).toContain('redirects to');
      expect(JSON.stringify(answered)).not.toContain(MARK);
      expect(other.seen).toEqual([]);
    },
  );

  it('sends no token that an authorizer verified for the endpoint', async () => {
    const event = withClaims(eventOf('legacy', 'ada', 'tools/list'), { iss: 'https://issuer', sub: 'ada' });
    await environment.invoke(event);
    expect(new Set(remote.seen)).toEqual(new Set([undefined]));
  });
});

it('is one of several servers, of which the others get no header of a host', async () => {
  const servers = {
    one: { url, forward: ['authorization'] },
    two: { url: otherUrl, headers: { authorization: 'TWO' } },
  };
  const environment = startEnvironment(await project.package({ policy: 'policy.yaml', servers }), {
    TWO: 'own',
  });
  try {
    for (const era of ['legacy', 'modern'] as const)
      for (const who of ['ada', 'bob'])
        expect(toolsOf(await environment.invoke(eventOf(era, who, 'tools/list')))).toEqual([
          `one__of-${who}`,
          'two__of-own',
        ]);
    expect(new Set(other.seen)).toEqual(new Set(['own']));
    expect(new Set(remote.seen)).toEqual(new Set([`Bearer ${MARK}ada`, `Bearer ${MARK}bob`]));
    expect(environment.output()).not.toContain(MARK);
  } finally {
    await environment.close();
  }
});

describe('"forward" is refused', () => {
  const server = { url: 'https://mcp.example/mcp', forward: ['authorization'] };
  it.each([
    [{ server, catalog: 'static' }, 'gives all hosts one list'],
    [{ server, catalog: 'snapshot' }, 'gives all hosts one list'],
    [{ servers: { one: server }, catalog: 'static' }, 'gives all hosts one list'],
    [
      { server: { ...server, headers: { AUTHORIZATION: 'A' } } },
      'a server has the header Authorization of "headers"',
    ],
    [
      { servers: { one: { ...server, headers: { Authorization: 'A' } } } },
      'a server has the header Authorization of',
    ],
    [{ server: { ...server, forward: ['cookie'] } }, '"server.forward.0" must be one of authorization'],
    [{ server: { ...server, forward: [] } }, '"server.forward" is not valid'],
    [{ server: { package: 'a', forward: ['authorization'] } }, '"forward" is not a known key in "server"'],
    [{ server: { module: 'a', forward: ['authorization'] } }, '"forward" is not a known key in "server"'],
  ])('in %j', (given, message) => {
    expect(() => readEndpoint({ policy: 'p.yaml', ...given }, 'endpoint.yml')).toThrow(message);
  });

  const NEEDED = [
    ['MCP_CONCERNS_ISSUERS', { MCP_CONCERNS_ISSUERS: 'https://issuer.example' }],
    ['MCP_CONCERNS_AUTHORIZER', { MCP_CONCERNS_AUTHORIZER: 'gateway' }],
    ['MCP_CONCERNS_TOKEN', { MCP_CONCERNS_TOKEN: 'authorization' }],
  ] as const;
  it.each(NEEDED)(
    'while packaging, and at the start of the function, where %s is set',
    (name, environment) => {
      const message = `only where the endpoint does not need it. Remove ${name}, or "forward"`;
      const packaged = { environment, timeout: 29, httpApi: true };
      expect(() => checkSettings({ ...packaged, forwards: true })).toThrow(message);
      expect(() => checkSettings(packaged)).not.toThrow();
      const given = {
        policy: policyOf(SECURITY),
        server: () => Promise.reject(new Error('not needed')),
        env: environment,
      };
      expect(() => createFunction({ ...given, forwards: true })).toThrow(message);
      expect(() => createFunction(given)).not.toThrow();
    },
  );

  it('while packaging where the function has an authorizer', async () => {
    const endpoint = { policy: 'policy.yaml', server: { url, forward: ['authorization'] } };
    const authorizers = {
      tokens: {
        type: 'jwt',
        identitySource: '$request.header.Authorization',
        issuerUrl: 'https://issuer.example',
        audience: ['a'],
      },
    };
    const httpApi = { path: '/mcp', method: 'POST', authorizer: { name: 'tokens' } };
    const functions = { mcp: { handler: 'build/lambda/index.handler', events: [{ httpApi }] } };
    const packaged = project.package(endpoint, { httpApi: { authorizers } }, functions);
    await expect(packaged).rejects.toThrow('Remove the authorizer of the function, or "forward"');
  });
});
