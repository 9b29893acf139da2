import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { identityOf, type Primitive } from '../../../src/core/engine/mapping.js';
import type { PolicyCatalog } from '../../../src/core/policy/check/servers/own-catalog.js';

const facts = join(import.meta.dirname, 'facts');
const expected = join(import.meta.dirname, 'expected');

/** The servers whose facts are in this folder. */
export const SERVERS: readonly string[] = readdirSync(facts).map((file) => file.replace('.json', ''));

export type Catalog = PolicyCatalog & { readonly server?: unknown; readonly tools: readonly Primitive[] };

export const factsOf = (server: string): Catalog =>
  JSON.parse(readFileSync(join(facts, `${server}.json`), 'utf8'));

/** A person's reading of a tool: the effects that are right, and the topic. */
export interface Reading {
  readonly effects: readonly string[];
  readonly topic: string;
}

/** The reading of each tool by name. See README.md in this folder. */
export function readingsOf(server: string): ReadonlyMap<string, Reading> {
  const lines = readFileSync(join(expected, `${server}.yaml`), 'utf8')
    .trim()
    .split('\n');
  return new Map(
    lines.map((line) => {
      const [, name = '', effects = '', topic = ''] = /^(.+): (\S+) (\S+)$/.exec(line) ?? [];
      return [name, { effects: effects.split('|'), topic }];
    }),
  );
}

/** The tools of several servers, as a gateway lists them. */
export function gatewayOf(servers: readonly string[], separator: string): Catalog {
  const tools = servers.flatMap((server) =>
    factsOf(server).tools.map((tool) => ({
      ...tool,
      name: `${server.replace('-', '_')}${separator}${identityOf('tools', tool)}`,
    })),
  );
  return { server: { name: 'gateway' }, tools };
}
