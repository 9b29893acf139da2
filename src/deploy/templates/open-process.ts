import { fileURLToPath } from 'node:url';
import { createUpstreamLog } from 'mcp-concerns/lambda';
import { ChildTransport, type OneOfSeveral } from 'mcp-concerns/upstream';
import type { ProcessValues } from './values.js';

/** The process gets the usual variables and those that are named, but no others: the function's include credentials. */
export function openProcess({
  program,
  parameters,
  environment,
  isolation,
  options,
}: ProcessValues): Required<OneOfSeveral> {
  const named = ['PATH', 'LANG', 'TZ', ...environment].map((name) => [name, process.env[name]]);
  const variables = { HOME: '/tmp', TMPDIR: '/tmp', ...Object.fromEntries(named) };
  const path = fileURLToPath(new URL(program, import.meta.url));
  return {
    open: () => new ChildTransport(process.execPath, [path, ...parameters], variables),
    isolation,
    options: { ...options, report: createUpstreamLog() },
  };
}
