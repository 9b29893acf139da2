import { createHmac } from 'node:crypto';
import { type Authorization, requireLogin } from '../http/authorization.js';
import { judgePage } from '../http/cors.js';
import type { FetchHandler } from '../http/fetch-handler.js';
import { failure, HTTP_ERRORS } from '../http/http-errors.js';
import { observe } from '../http/observer.js';
import { sessionOf } from '../http/sessions.js';
import { answerInstead, LATE, type RequestIds, requestIds, TOO_LONG } from './substitute-responses.js';
import { callerOf } from './claims.js';
import { deadlineOf, inTime, type LambdaContext, LateError } from './deadline.js';
import { checkEvent, type HttpEvent, TooLongError, toRequest } from './event.js';
import { createLog, type WriteLog } from './log.js';

export interface InvocationOptions {
  /** Origins whose pages may use the endpoint, `*` for all. None unless told otherwise. */
  readonly origins?: readonly string[] | undefined;
  /** How hosts log in. Without it everybody may call; an authorizer before the function may still tell who does. */
  readonly authorization?: Authorization | undefined;
  /** Writes the log; Powertools Logger on stdout unless told otherwise. */
  readonly log?: WriteLog | undefined;
  /** Makes the hashes of session ids in the log differ from those of other deployments. */
  readonly logSalt?: string | undefined;
}

/** One invocation of a function, from the event to the last byte of the answer. */
export interface Invocation {
  /** Aborts shortly before the platform cuts the function off. */
  readonly signal: AbortSignal;
  /** The requests that must be answered, whatever happens. */
  readonly ids: () => RequestIds;
  /** Answers the event: with an error if the handler fails or takes too long. Never rejects. */
  answer(): Promise<Response>;
  /** Notes what went wrong. @returns the answer in the place of one that failed, or came too late */
  fail(cause: unknown): Response;
  /** Ends the invocation: writes the log. */
  end(status: number): void;
}

/**
 * Prepares a handler for events.
 *
 * @param handle answers HTTP requests
 * @param options who may call, and the log
 * @returns a function that begins an invocation
 * @throws {EventError} that function, for an event that is no HTTP request
 */
export function createInvocations(
  handle: FetchHandler,
  options: InvocationOptions,
): (event: HttpEvent, context?: LambdaContext) => Invocation {
  const { origins = [], authorization, log = createLog(), logSalt = '' } = options;
  const guarded = requireLogin(handle, authorization);

  return (event, context = {}) => {
    checkEvent(event);
    const seen = observe();
    const { signal, clear } = deadlineOf(context);
    const request = toRequest(event, signal);
    const page = judgePage(request, origins);
    const ids = (): RequestIds => requestIds(bodyOf(event));
    let session = sessionOf(request.headers);
    let cause: unknown;

    const fail = (thrown: unknown): Response => {
      cause = thrown;
      if (thrown instanceof LateError) return page.allow(answerInstead(ids(), LATE));
      if (thrown instanceof TooLongError) return page.allow(answerInstead(ids(), TOO_LONG));
      const message = 'The server failed on this request; its log says why.';
      return page.allow(failure(500, HTTP_ERRORS.internal, message));
    };

    return {
      signal,
      ids,
      fail,
      async answer() {
        if (page.response !== undefined) return page.response;
        const { report, storeCall } = seen;
        try {
          const handled = guarded(request, { report, storeCall, authInfo: callerOf(event) });
          const response = page.allow(await inTime(handled, signal));
          session ??= sessionOf(response.headers);
          return response;
        } catch (thrown) {
          return fail(thrown);
        }
      },
      end(status) {
        clear();
        log({
          context,
          requestId: context.awsRequestId ?? '',
          correlationId: event.requestContext.requestId ?? '',
          httpMethod: request.method,
          status,
          durationMs: seen.elapsed(),
          ...(session === undefined ? {} : { session: hashed(session, logSalt) }),
          storeCalls: seen.storeCalls,
          reports: seen.reports,
          failure: cause,
        });
      },
    };
  };
}

function bodyOf({ body, isBase64Encoded }: HttpEvent): string {
  return isBase64Encoded === true ? Buffer.from(body ?? '', 'base64').toString() : (body ?? '');
}

/** A session id is a key to what it names; its hash only says which lines belong together. */
function hashed(session: string, salt: string): string {
  return createHmac('sha256', salt).update(session).digest('hex').slice(0, 16);
}
