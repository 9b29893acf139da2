import type { Endpoint } from './endpoint.js';

/** Names of files in the bundle, beside the entry. */
export const FILES = { policy: 'policy.json', catalog: 'catalog.json', server: 'server.mjs' } as const;

/**
 * Writes the module that a function starts with: what somebody would write who made the function by hand.
 *
 * @param endpoint what the function serves
 * @param bin of a package: its program, relative to the bundle
 * @returns the module's text
 * @example
 * entryOf({ server: { module: './src/server.js' }, catalog: 'snapshot' });
 */
export function entryOf({ server, catalog }: Omit<Endpoint, 'policy'>, bin = ''): string {
  const lines = [
    `import { readFileSync } from 'node:fs';`,
    `import { openCompiledPolicy } from 'mcp-concerns/policy/compiled';`,
    `const read = (name) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));`,
    `const policy = openCompiledPolicy(read('${FILES.policy}'));`,
  ];
  if (catalog === 'static') lines.push(`const catalog = 'static';`);
  else lines.push(`const catalog = ${catalog === undefined ? 'undefined' : `read('${FILES.catalog}')`};`);

  if ('module' in server) {
    // Imported by the first request that needs the server: lists from a snapshot do not.
    lines.push(
      `const server = async (context) => {`,
      `  const { default: made, createServer = made } = await import(${JSON.stringify(server.module)});`,
      `  return createServer(${server.sdk === 2 ? 'context' : ''});`,
      `};`,
    );
  } else {
    lines.push(
      `import { shareUpstream } from 'mcp-concerns/upstream';`,
      ...('package' in server ? childLines(server, bin) : remoteLines(server)),
      `const server = () => upstream.server();`,
    );
  }

  if ('module' in server && server.sdk === 2) {
    lines.push(
      `import { deployFunction } from 'mcp-concerns/lambda/function';`,
      `import { createHandler } from 'mcp-concerns/http/v2';`,
      `export const handler = deployFunction((store) => createHandler({ server, policy, catalog, store }), { policy });`,
    );
  } else {
    // Loaded while Lambda initialises, when there is more of the CPU; not where a snapshot answers first.
    if (catalog !== 'snapshot') lines.push(`import 'mcp-concerns/http';`);
    lines.push(
      `import { createFunction } from 'mcp-concerns/lambda/function';`,
      `export const handler = createFunction({ server, policy, catalog });`,
    );
  }
  return `${lines.join('\n')}\n`;
}

/** A process has what programs need, and of the function's variables, its credentials among them, only those named. */
function childLines(server: Extract<Endpoint['server'], { package: string }>, bin: string): string[] {
  const { arguments: args = [], environment = [] } = server;
  return [
    `import { fileURLToPath } from 'node:url';`,
    `import { ChildTransport } from 'mcp-concerns/upstream';`,
    `const bin = fileURLToPath(new URL(${JSON.stringify(`./${bin}`)}, import.meta.url));`,
    `const names = ${JSON.stringify(['PATH', 'LANG', 'TZ', ...environment])};`,
    `const env = { HOME: '/tmp', TMPDIR: '/tmp', ...Object.fromEntries(names.map((name) => [name, process.env[name]])) };`,
    `const upstream = shareUpstream(() => new ChildTransport(process.execPath, [bin, ...${JSON.stringify(args)}], env));`,
  ];
}

function remoteLines({ url, headers = {} }: Extract<Endpoint['server'], { url: string }>): string[] {
  return [
    `import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';`,
    `const variables = ${JSON.stringify(Object.entries(headers))};`,
    `const headers = Object.fromEntries(variables.map(([header, name]) => [header, process.env[name] ?? '']));`,
    `const open = () => new StreamableHTTPClientTransport(new URL(${JSON.stringify(url)}), { requestInit: { headers } });`,
    `const upstream = shareUpstream(open);`,
  ];
}
