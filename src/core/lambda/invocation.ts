import { KnownNames } from '../gate/edge/outcomes.js';
import { type Authorization, requireLogin } from '../http/callers/authorization.js';
import { ANY_PAGE, checkOrigin } from '../http/cors.js';
import type { FetchHandler } from '../http/fetch-handler.js';
import { failure, HTTP_ERRORS } from '../http/http-errors.js';
import { observe } from '../http/observer.js';
import { parseJson, requestIdsIn } from '../http/request-body.js';
import { isForCard } from '../http/server-card/serve-card.js';
import { principalOf, sessionOf } from '../http/sessions.js';
import { beforeAbort } from '../session/before-abort.js';
import { callerHash, hashed } from '../telemetry/entries.js';
import type { WriteLog } from '../telemetry/request-log.js';
import type { RequestId } from '../wire/messages.js';
import { callerOf, type VerifiedToken } from './claims.js';
import { deadlineOf, type LambdaContext, LateError } from './deadline.js';
import { type HttpEvent, isRequestMethod, toRequest } from './event.js';
import { type RestEvent, readEvent } from './read-event.js';
import { TooLongError } from './result.js';
import { LATE, substituteResponse, TOO_LONG } from './substitute-responses.js';

/** Who may call a function, and where it writes its log. */
export interface InvocationOptions {
  /** Origins of the web pages that may use the endpoint, `*` for all. Defaults to none. */
  readonly origins?: readonly string[] | undefined;
  /** How hosts log in. Without it anyone may call; an authorizer in front of the function may still verify tokens. */
  readonly authorization?: Authorization | undefined;
  /** Where the token is that the authorizer in front of the function verified. Defaults to `none`. */
  readonly verifiedToken?: VerifiedToken | undefined;
  /** Writes the log; called once for each invocation. */
  readonly log: WriteLog;
  /** Makes the hashes of session ids in the log differ between deployments. */
  readonly logSalt?: string | undefined;
}

/** One invocation of a function, from the event to the last byte of the response. */
export interface Invocation {
  /** The event, in the shape of payload format 2.0. */
  readonly event: HttpEvent;
  /** Aborts shortly before Lambda ends the invocation. */
  readonly signal: AbortSignal;
  /** @returns the ids of the requests in the event, each of which must get an answer or an error */
  ids(): readonly RequestId[];
  /** Records an error for the log. @returns the response to send instead of one that failed or was late */
  fail(thrown: unknown): Response;
  /** Answers the event, with an error if the handler fails or takes too long. Never rejects. */
  answer(): Promise<Response>;
  /** Ends the invocation and writes the log. */
  end(status: number): void;
}

/** Begins an invocation; throws an `EventError` if the event is not an HTTP request. */
export type BeginInvocation = (given: HttpEvent | RestEvent, context?: LambdaContext) => Invocation;

/**
 * Prepares a handler for events.
 *
 * @param handle answers HTTP requests
 * @param options who may call, and the log
 * @returns a function that begins an invocation
 */
export function createInvocations(handle: FetchHandler, options: InvocationOptions): BeginInvocation {
  const { origins = [], authorization, verifiedToken, log, logSalt = '' } = options;
  const names = new KnownNames();

  return (given, context = {}) => {
    const event = readEvent(given);
    const { method } = event.requestContext.http;
    const observed = observe();
    const { signal, clear } = deadlineOf(context);
    const request = toRequest(event, signal);
    // A card is public and has headers of its own for web pages.
    const page = isForCard(request) ? ANY_PAGE : checkOrigin(request, origins);
    let session = sessionOf(request.headers);
    let principal: readonly string[] | undefined;
    let cause: unknown;
    let isPolicyMissing = false;
    const policyMissing = (): void => {
      isPolicyMissing = true;
    };

    const fail = (thrown: unknown): Response => {
      cause = thrown;
      if (thrown instanceof LateError) return page.allow(substituteResponse(bodyOf(event), LATE));
      if (thrown instanceof TooLongError) return page.allow(substituteResponse(bodyOf(event), TOO_LONG));
      const message = 'The server failed on this request. Its log has the reason.';
      return page.allow(failure(500, HTTP_ERRORS.internal, message));
    };

    return {
      event,
      signal,
      ids: () => requestIdsIn(parseJson(bodyOf(event))),
      fail,
      async answer(): Promise<Response> {
        if (page.response !== undefined) return page.response;
        if (!isRequestMethod(method)) {
          const message = 'This method is not supported here. Use POST, GET or DELETE.';
          return page.allow(failure(405, HTTP_ERRORS.refused, message, { Allow: 'POST, GET, DELETE' }));
        }
        const { report, storeCall } = observed;
        const failed = (thrown: unknown): void => {
          cause = thrown;
        };
        const authorized = requireLogin((sent, known) => {
          principal = principalOf(known?.authInfo);
          return handle(sent, known);
        }, authorization);
        try {
          const handled = authorized(request, {
            report,
            storeCall,
            policyMissing,
            failed,
            names,
            authInfo: callerOf(event, verifiedToken),
          });
          const response = page.allow(await beforeAbort(handled, signal));
          session ??= sessionOf(response.headers);
          return response;
        } catch (thrown) {
          return fail(thrown);
        }
      },
      end(status: number): void {
        clear();
        log({
          context,
          requestId: context.awsRequestId ?? '',
          correlationId: event.requestContext.requestId ?? '',
          httpMethod: method,
          status,
          durationMs: observed.elapsed(),
          ...(isPolicyMissing ? { isPolicyMissing } : {}),
          session: session && hashed(session, logSalt),
          caller: callerHash(principal, logSalt),
          xrayTraceId: xrayOf(request.headers.get('x-amzn-trace-id')),
          storeCalls: observed.storeCalls,
          reports: observed.reports,
          timings: observed.timings,
          failure: cause,
        });
      },
    };
  };
}

function bodyOf({ body, isBase64Encoded }: HttpEvent): string {
  return isBase64Encoded === true ? Buffer.from(body ?? '', 'base64').toString() : (body ?? '');
}

/** https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader */
const xrayOf = (header: string | null): string | undefined =>
  /(?:^|;)\s*Root=(1-[0-9a-f]{8}-[0-9a-f]{24})(?:;|$)/.exec(header ?? '')?.[1];
