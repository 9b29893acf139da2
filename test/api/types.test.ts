import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer as McpServerV2 } from '@modelcontextprotocol/server';
import type { FromSchema } from 'json-schema-to-ts';
import { describe, expectTypeOf, it } from 'vitest';
import { createConcerns } from '../../src/client/index.js';
import { analyze } from '../../src/core/analysis/index.js';
import {
  bindCatalog,
  type Configuration,
  type Decision,
  evaluate,
  mapPrimitive,
  resolveConfiguration,
  select,
} from '../../src/core/engine/index.js';
import { createHandler, type FetchHandler } from '../../src/core/http/index.js';
import { createHandler as createHandlerV2 } from '../../src/core/http/v2.js';
import { createFunction } from '../../src/core/lambda/index.js';
import { openCompiledPolicy } from '../../src/core/policy/compile/compiled.js';
import { loadPolicy } from '../../src/core/policy/index.js';
import type { PolicyDocument, policySchema } from '../../src/core/policy/language/schema.js';
import type { TestFileDocument, testFileSchema } from '../../src/core/policy/testing/test-schema.js';
import type { Endpoint, endpointSchema } from '../../src/deploy/generated/endpoint-schema.js';
import {
  attachConcerns,
  ConcernsError,
  createMemoryStore,
  LivePolicy,
  type Policy,
  type SessionStore,
} from '../../src/index.js';

/**
 * The shapes of the main functions, as users write them. `tsc` checks this file, which `npm test` runs before the tests;
 * nothing in it is called.
 */
const compiles = (_program: () => unknown): void => {};
declare const policy: Policy;
declare const store: SessionStore;

describe('policies', () => {
  it('are loaded from one file, folder or several, or opened from compiled data', () => {
    expectTypeOf(loadPolicy).parameters.toEqualTypeOf<[paths: string | URL | readonly (string | URL)[]]>();
    expectTypeOf(loadPolicy).returns.toEqualTypeOf<Policy>();
    expectTypeOf(openCompiledPolicy).parameters.toEqualTypeOf<[data: unknown]>();
    expectTypeOf(openCompiledPolicy).returns.toEqualTypeOf<Policy>();
  });

  it('have the document types that their schemas describe', () => {
    type Derived = FromSchema<typeof policySchema>;
    expectTypeOf<PolicyDocument>().toExtend<Derived>();
    expectTypeOf<Derived>().toExtend<PolicyDocument>();
    type DerivedTests = FromSchema<typeof testFileSchema>;
    expectTypeOf<DerivedTests>().toExtend<TestFileDocument>();
    type DerivedEndpoint = FromSchema<typeof endpointSchema>;
    expectTypeOf<Endpoint>().toExtend<DerivedEndpoint>();
    expectTypeOf<DerivedEndpoint>().toExtend<Endpoint>();
  });
});

describe('servers', () => {
  it('are attached to a policy, whichever class of the SDK they have', () => {
    compiles(() => {
      const information = { name: 'example', version: '1.0.0' };
      attachConcerns(new McpServer(information), { policy });
      attachConcerns(new Server(information), { policy: new LivePolicy(policy), store: createMemoryStore() });
      attachConcerns(new McpServerV2(information), {
        policy,
        report: ({ method, shown }) => [method, shown],
      });
      // @ts-expect-error: a policy is required.
      attachConcerns(new McpServer(information), {});
      // @ts-expect-error: a client is not a server.
      attachConcerns({}, { policy });
    });
    expectTypeOf<ReturnType<typeof attachConcerns>['settled']>().toEqualTypeOf<() => Promise<void>>();
  });

  it('are served by handlers of web requests', () => {
    expectTypeOf(createHandler).returns.toEqualTypeOf<FetchHandler>();
    expectTypeOf<FetchHandler>().toBeCallableWith(new Request('http://localhost/mcp'));
    expectTypeOf<FetchHandler>().returns.resolves.toEqualTypeOf<Response>();
    expectTypeOf(createHandlerV2).returns.toExtend<FetchHandler>();
    compiles(() => {
      const server = () => new McpServer({ name: 'example', version: '1.0.0' });
      createHandler({ server, policy });
      createHandler({ server: async () => server(), policy, store, catalog: 'static' });
      createHandlerV2({ server: () => new McpServerV2({ name: 'example', version: '1.0.0' }), policy });
    });
  });

  it('are served by Lambda functions', () => {
    compiles(() =>
      createFunction({ server: () => new McpServer({ name: 'example', version: '1.0.0' }), policy }),
    );
    expectTypeOf(createFunction).returns.toBeFunction();
    // @ts-expect-error: a policy is required.
    compiles(() => createFunction({}));
  });
});

describe('hosts', () => {
  it('wrap a client of either SDK', () => {
    compiles(async () => {
      const client = new Client({ name: 'host', version: '1.0.0' });
      const concerns = createConcerns(client, { preferences: { security: 'high' } });
      await client.connect(concerns.over(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'))));
      const { tools } = await concerns.listTools();
      expectTypeOf(tools[0]?.name).toEqualTypeOf<string | undefined>();
      createConcerns(new ClientV2({ name: 'host', version: '1.0.0' }));
      // @ts-expect-error: a server is not a client.
      createConcerns(new McpServer({ name: 'example', version: '1.0.0' }));
    });
  });
});

describe('the engine', () => {
  it('decides for one primitive, and selects from a list', () => {
    compiles(() => {
      const configuration = resolveConfiguration(policy, []);
      expectTypeOf(configuration).toEqualTypeOf<Configuration>();
      const tools = [{ name: 'echo', price: 1 }];
      expectTypeOf(select(bindCatalog(policy, 'tools', tools), configuration).kept).toEqualTypeOf<
        readonly { name: string; price: number }[]
      >();
      const mapping = mapPrimitive(policy, 'tools', { name: 'echo' });
      expectTypeOf(evaluate(mapping, configuration)).toEqualTypeOf<Decision>();
    });
    expectTypeOf<Decision['effect']>().toEqualTypeOf<'show' | 'hide'>();
    expectTypeOf<Decision['reason']['code']>().toExtend<string>();
  });

  it('prepares a policy that nobody can change: all requests of a process share it', () => {
    compiles(() => {
      // @ts-expect-error: read-only.
      policy.rules.length = 0;
      // @ts-expect-error: read-only.
      policy.rules.push(...policy.rules);
      // @ts-expect-error: read-only.
      policy.entries.tools.clear();
      // @ts-expect-error: read-only.
      policy.presets.delete('look');
      // @ts-expect-error: read-only.
      policy.callerPaths.pop();
      // @ts-expect-error: read-only.
      policy.patterns.tools.reverse();
      // @ts-expect-error: read-only.
      policy.rulesFor.hide.tools.pop();
    });
  });

  it('is analyzed for all configurations at once', () => {
    compiles(() => {
      const { neverVisible, configurations } = analyze(policy, { tools: [{ name: 'echo' }] });
      expectTypeOf(neverVisible[0]?.name).toEqualTypeOf<string | undefined>();
      expectTypeOf(configurations).toEqualTypeOf<number>();
    });
  });
});

it('has one base class of errors, with a code', () => {
  expectTypeOf<ConcernsError>().toExtend<Error>();
  expectTypeOf<ConcernsError['code']>().toEqualTypeOf<string>();
  // @ts-expect-error: only its subclasses are thrown.
  compiles(() => new ConcernsError('A message.'));
});
