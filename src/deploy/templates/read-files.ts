import './secrets.js';
import { readFileSync } from 'node:fs';
import { LivePolicy, parseExact, type ServerFunctionOptions } from 'mcp-concerns/lambda';
import { openCompiledPolicy } from 'mcp-concerns/policy/compiled';
import { type EndpointValues, FILES } from './values.js';

declare const MCP_CONCERNS_FUNCTION: EndpointValues;

type Catalog = ServerFunctionOptions['catalog'];

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

/** The policy of the bundle. The environment may name one outside the function, which then replaces it. */
export const policy: LivePolicy = new LivePolicy(openCompiledPolicy(JSON.parse(read(FILES.policy))));

/** What the endpoint knows of the lists of its server. The command that made the bundle wrote the snapshot. */
export const catalog: Catalog =
  MCP_CONCERNS_FUNCTION.catalog === 'snapshot'
    ? (parseExact(read(FILES.catalog)) as Catalog)
    : MCP_CONCERNS_FUNCTION.catalog;
