import { errorClass } from '../core/errors.js';
import { forwardsHeaders } from './entry.js';
import type { Endpoint } from './generated/endpoint-schema.js';
import { type SchemaError, validate } from './generated/endpoint-validator.js';

/** The key that each kind of server has, in the order of the schema. */
const SERVER_KINDS = ['module', 'package', 'url'];

/** The description of what a function serves is not valid. */
class EndpointError extends errorClass('EndpointError', 'ENDPOINT_INVALID') {}

/**
 * Checks what a function serves. Throws an `EndpointError` if it does not fit the schema.
 *
 * @param data the content of `endpoint.yml`
 * @param file the name of the file, for messages
 * @returns the same data
 * @example
 * readEndpoint({ policy: 'policy.yaml', server: { module: 'src/server.ts' } }, 'endpoint.yml');
 */
export function readEndpoint(data: unknown, file: string): Endpoint {
  const isValid = isEndpoint(data);
  const problem = isValid ? problemOf(data) : describe(firstError(data, validate.errors ?? []));
  if (isValid && problem === undefined) return data;
  throw new EndpointError(`${file} is not valid: ${problem}.`);
}

/** Returns what a schema cannot say. */
function problemOf(endpoint: Endpoint): string | undefined {
  const { server, servers, catalog } = endpoint;
  if (server === undefined && servers === undefined) return '"server" is missing';
  const refused = forwardProblem(endpoint);
  if (refused !== undefined) return refused;
  if (servers === undefined) return undefined;
  if (server !== undefined) return 'it has "server" and "servers". Remove one';
  if (Object.keys(servers).length === 0) return '"servers" is empty';
  if (catalog === 'snapshot') return '"catalog: snapshot" takes one server. Use "catalog: static"';
  const packages = Object.values(servers).flatMap((each) => ('package' in each ? [each] : []));
  // Each request would start a process of every package.
  if (packages.length > 1 && packages.some(({ isolation }) => isolation === 'per-request'))
    return '"isolation: per-request" takes one package. Use "per-session" or "shared"';
  return undefined;
}

/** Returns why headers of hosts cannot be passed on as the endpoint says. */
function forwardProblem(endpoint: Endpoint): string | undefined {
  if (!forwardsHeaders(endpoint)) return undefined;
  // What a server lists for one token must not be what the next host gets.
  if (endpoint.catalog !== undefined)
    return `"catalog: ${endpoint.catalog}" gives all hosts one list, and "forward" gives each host its own. Remove one`;
  const all = endpoint.server === undefined ? Object.values(endpoint.servers ?? {}) : [endpoint.server];
  const own = all.flatMap((each) => ('url' in each && each.forward ? Object.keys(each.headers ?? {}) : []));
  if (!own.some((name) => name.toLowerCase() === 'authorization')) return undefined;
  return 'a server has the header Authorization of "headers" and, by "forward", that of each host. Remove one';
}

const isEndpoint = (data: unknown): data is Endpoint => validate(data);

/** Of the errors of all kinds of servers, only those of the kind that the data has tell what is wrong. */
function firstError(data: unknown, errors: readonly SchemaError[]): SchemaError | undefined {
  const server = isObject(data) && isObject(data.server) ? data.server : {};
  const kind = SERVER_KINDS.findIndex((key) => key in server);
  const branch = /^#\/properties\/server\/anyOf\/(\d)/;
  return errors.find(({ schemaPath }) => {
    const found = branch.exec(schemaPath)?.[1];
    return found === undefined ? kind === -1 || !schemaPath.endsWith('/anyOf') : Number(found) === kind;
  });
}

function describe(error: SchemaError | undefined): string {
  if (error === undefined) return 'it is empty';
  const { keyword, instancePath, params } = error;
  const at = instancePath.slice(1).replaceAll('/', '.');
  const where = at === '' ? '' : ` in "${at}"`;
  if (keyword === 'required') return `"${params.missingProperty}" is missing${where}`;
  if (keyword === 'additionalProperties') return `"${params.additionalProperty}" is not a known key${where}`;
  if (keyword === 'anyOf' && at === 'server') return `"server" must have one of ${SERVER_KINDS.join(', ')}`;
  if (at === 'servers' && keyword === 'pattern')
    return 'the keys of "servers" must be at most 24 lower-case letters and digits, with single hyphens between';
  if (keyword === 'enum') return `"${at}" must be one of ${[params.allowedValues].flat().join(', ')}`;
  return at === '' ? 'it must be a mapping with "policy" and "server"' : `the value of "${at}" is not valid`;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
