import { ConcernsError } from '../errors.js';
import type { Authorizer, HttpEvent, IamIdentity } from './event.js';

type Values = Readonly<Record<string, readonly string[] | undefined>>;

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
  readonly multiValueHeaders?: Values | null;
  readonly queryStringParameters?: Readonly<Record<string, string | undefined>> | null;
  /** Decoded, unlike the query of payload format 2.0. */
  readonly multiValueQueryStringParameters?: Values | null;
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

/** The function was invoked with an event that is not an HTTP request. */
export class EventError extends ConcernsError {
  readonly code = 'EVENT_INVALID';
  override readonly name = 'EventError';
}

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
  const { httpMethod, path, body, isBase64Encoded, requestContext } = event;
  const { requestId, domainName } = requestContext;
  const authorizer = authorizerOf(requestContext);
  return {
    version: '1.0',
    // A REST API decodes the path, so these would begin a query or a fragment.
    rawPath: path.replaceAll('?', '%3F').replaceAll('#', '%23'),
    rawQueryString: queryOf(event),
    headers: headersOf(event),
    body: body ?? null,
    isBase64Encoded: isBase64Encoded === true,
    requestContext: {
      http: { method: httpMethod },
      ...(requestId === undefined ? {} : { requestId }),
      ...(domainName === undefined ? {} : { domainName }),
      ...(authorizer === undefined ? {} : { authorizer }),
    },
  };
}

function queryOf(event: RestEvent): string {
  const pairs = valuesOf(event.multiValueQueryStringParameters, event.queryStringParameters);
  return String(
    new URLSearchParams(
      pairs.flatMap(([name, values]) => values.map((value): [string, string] => [name, value])),
    ),
  );
}

function headersOf(event: RestEvent): Record<string, string> {
  const headers = new Map<string, string[]>();
  for (const [name, values] of valuesOf(event.multiValueHeaders, event.headers)) {
    const key = name.toLowerCase();
    headers.set(key, [...(headers.get(key) ?? []), ...values]);
  }
  return Object.fromEntries(
    [...headers].map(([name, values]) => [name, values.join(name === 'cookie' ? '; ' : ', ')]),
  );
}

/** The member with single values has only the last value of each name. */
function valuesOf(
  multiple: Values | null | undefined,
  single: Readonly<Record<string, string | undefined>> | null | undefined,
): [name: string, values: readonly string[]][] {
  if (multiple) return Object.entries(multiple).map(([name, values]) => [name, values ?? []]);
  return Object.entries(single ?? {}).map(([name, value]) => [name, value === undefined ? [] : [value]]);
}

function authorizerOf({ authorizer, identity }: RestEvent['requestContext']): Authorizer | undefined {
  const { claims, principalId, integrationLatency: _, ...context } = authorizer ?? {};
  if (typeof claims === 'object' && claims !== null) return { jwt: { claims: { ...claims } } };
  // A REST API passes only text from a Lambda authorizer, whose `principalId` identifies the caller.
  if (principalId !== undefined) return { lambda: { sub: principalId, ...context } };
  return identity?.userArn ? { iam: iamOf(identity) } : undefined;
}

function iamOf(identity: NonNullable<RestEvent['requestContext']['identity']>): IamIdentity {
  const { accountId, caller, cognitoIdentityId, principalOrgId, user, userArn } = identity;
  return {
    accountId: accountId ?? null,
    callerId: caller ?? null,
    principalOrgId: principalOrgId ?? null,
    userArn: userArn ?? null,
    userId: user ?? null,
    cognitoIdentity: cognitoIdentityId ? { identityId: cognitoIdentityId } : null,
  };
}
