import { type ErrorClass, errorClass } from '../errors.js';
import type { Authorizer, HttpEvent } from './event.js';

/** Headers or parameters, each with one value or several. */
type Values = Readonly<Record<string, string | readonly string[] | undefined>> | null;

/**
 * The members that are read from an event of a REST API (payload format 1.0):
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html
 */
export interface RestEvent {
  readonly httpMethod: string;
  /** Without the stage. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | undefined>> | null;
  /** Names as the client wrote them. */
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[] | undefined>> | null;
  readonly queryStringParameters?: Readonly<Record<string, string | undefined>> | null;
  /** Decoded, unlike the query of payload format 2.0. */
  readonly multiValueQueryStringParameters?: Readonly<Record<string, readonly string[] | undefined>> | null;
  readonly body?: string | null;
  readonly isBase64Encoded?: boolean;
  readonly requestContext: {
    readonly requestId?: string;
    readonly domainName?: string;
    readonly stage?: string;
    /** The context of a Lambda authorizer beside `principalId`, or the `claims` of Amazon Cognito. */
    readonly authorizer?: Readonly<Record<string, unknown>> | null;
    readonly identity?: {
      readonly accountId?: string | null;
      readonly caller?: string | null;
      readonly cognitoIdentityId?: string | null;
      readonly principalOrgId?: string | null;
      readonly user?: string | null;
      readonly userArn?: string | null;
    };
  };
}

const EventErrorBase: ErrorClass<'EventError', 'EVENT_INVALID'> = errorClass('EventError', 'EVENT_INVALID');

/** The function was invoked with an event that is not an HTTP request. */
export class EventError extends EventErrorBase {}

/**
 * Reads an event in payload format 2.0 (HTTP API, function URL) or 1.0 (REST API). The test events of the console have
 * other formats.
 *
 * @param event the event
 * @returns the event in the shape of payload format 2.0; its `version` is `1.0` if it came from a REST API
 * @throws {EventError} if it has another format
 */
export function readEvent(event: HttpEvent | RestEvent): HttpEvent {
  const given: unknown = event;
  if (isRestEvent(given)) return readRestEvent(given);
  const { rawPath, requestContext } = (given ?? {}) as Partial<HttpEvent>;
  if (typeof rawPath === 'string' && typeof requestContext?.http?.method === 'string') {
    return given as HttpEvent;
  }
  throw new EventError(
    'The event is not an HTTP request of payload format 2.0 or 1.0. Call the function through an HTTP API, a REST API or its URL.',
  );
}

/** @returns whether a value is an event of payload format 1.0; an Application Load Balancer sends similar events */
function isRestEvent(value: unknown): value is RestEvent {
  if (typeof value !== 'object' || value === null) return false;
  const { httpMethod, path, requestContext } = value as Partial<RestEvent>;
  return (
    typeof httpMethod === 'string' &&
    typeof path === 'string' &&
    path.startsWith('/') &&
    typeof requestContext === 'object' &&
    requestContext !== null &&
    !('elb' in requestContext)
  );
}

/**
 * Reads an event of a REST API into the shape of payload format 2.0.
 *
 * @param event the event
 * @returns the same request; its path has no stage
 */
function readRestEvent(event: RestEvent): HttpEvent {
  const { requestId, domainName } = event.requestContext;
  // The members with single values have only the last value of each name.
  const parameters = pairsOf(event.multiValueQueryStringParameters ?? event.queryStringParameters);
  return {
    version: '1.0',
    // A REST API decodes the path, so these would begin a query or a fragment.
    rawPath: event.path.replaceAll('?', '%3F').replaceAll('#', '%23'),
    rawQueryString: String(new URLSearchParams(parameters)),
    headers: headersOf(pairsOf(event.multiValueHeaders ?? event.headers)),
    body: event.body ?? null,
    isBase64Encoded: event.isBase64Encoded === true,
    requestContext: {
      http: { method: event.httpMethod },
      requestId,
      domainName,
      authorizer: authorizerOf(event.requestContext),
    },
  };
}

function headersOf(pairs: readonly [name: string, value: string][]): Record<string, string> {
  const headers = new Map<string, string>();
  for (const [name, value] of pairs) {
    const key = name.toLowerCase();
    const before = headers.get(key);
    const separator = key === 'cookie' ? '; ' : ', ';
    headers.set(key, before === undefined ? value : before + separator + value);
  }
  return Object.fromEntries(headers);
}

const pairsOf = (values: Values | undefined): [name: string, value: string][] =>
  Object.entries(values ?? {}).flatMap(([name, value = []]) =>
    [value].flat().map((each): [string, string] => [name, each]),
  );

function authorizerOf({ authorizer, identity }: RestEvent['requestContext']): Authorizer | undefined {
  const { claims, principalId, integrationLatency: _, ...context } = authorizer ?? {};
  if (typeof claims === 'object' && claims !== null) return { jwt: { claims: { ...claims } } };
  // A REST API passes only text from a Lambda authorizer, whose `principalId` identifies the caller.
  if (principalId !== undefined) return { lambda: { sub: principalId, ...context } };
  if (!identity?.userArn) return undefined;
  const { cognitoIdentityId: identityId, ...iam } = identity;
  return { iam: { ...iam, cognitoIdentity: identityId ? { identityId } : null } };
}
