import type { InvalidValue } from '../../engine/configuration.js';
import { type Answer, ERRORS, type Failure, failure, type Request } from '../../wire/messages.js';
import type { Facts, RequestFacts, Substitute } from './facts.js';
import type { Deciding, Settling } from './needs.js';
import { quoteValue } from './quote-value.js';
import type { GateReport, ReportContext } from './report.js';

/** What to log. Made only if somebody listens. */
export type Tell = () => readonly [
  report: Omit<GateReport, 'method' | 'era'>,
  context?: Pick<ReportContext, 'list' | 'listedName'>,
];

/** What becomes of a request. */
export type Outcome = { readonly tell?: Tell | undefined } & (
  | { readonly to: 'server'; readonly params: Request['params']; readonly substitute?: Substitute }
  | { readonly to: 'client'; readonly result: Record<string, unknown> }
  | { readonly to: 'client'; readonly error: Failure['error'] }
  /** The request names a primitive of the gate, but the server has one of that name: it is decided as one for the server. */
  | { readonly to: 'server primitive' }
);

/** What becomes of the server's answer. */
export interface Settled {
  readonly message: Answer | Failure;
  readonly tell?: Tell | undefined;
}

/** How requests of one route are decided, and the server's answers to them. */
export interface Row {
  readonly judge: (facts: RequestFacts) => Deciding<Outcome>;
  /** Without it, the client gets the server's answer as it is. */
  readonly settle?: (facts: Facts, message: Answer | Failure) => Settling<Settled>;
  /** Returns the request that is decided about, if it is not the request itself. */
  readonly subject?: (request: Request) => Request;
  /** Whether later messages of the client wait until the request is decided. */
  readonly inOrder?: true;
}

/** Lets the server answer. */
export const pass = ({ request }: RequestFacts, tell?: Tell): Outcome => ({
  to: 'server',
  params: request.params,
  tell,
});

export const reply = (result: Record<string, unknown>, tell?: Tell): Outcome => ({
  to: 'client',
  result,
  tell,
});

/** Answers with an error that the server gave, and reports it. */
export const fail = (error: Failure['error'], tell: Tell = () => [{ error: error.code }]): Outcome => ({
  to: 'client',
  error,
  tell,
});

/** Answers with an error, and reports it. */
export const refuse = (code: number, message: string, data?: unknown, tell?: Tell): Outcome =>
  fail(errorOf({ code, message }, data), tell);

/** Answers a request that carries a value outside the declared `values`, under `invalid: error`. */
export function refuseValue({ policy }: Pick<RequestFacts, 'policy'>, invalid: InvalidValue): Outcome {
  const { concern, value, values, suggestion } = invalid;
  const multiple = policy.concerns.find(({ name }) => name === concern)?.multiple === true;
  const names = 'min' in values ? `a number from ${values.min} to ${values.max}` : values.join(', ');
  const hint = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`;
  const message = `${quoteValue(value)} is not a valid value for ${concern} (${multiple ? 'one or more of ' : ''}${names}).${hint}`;
  return refuse(ERRORS.invalidParams, message, invalid);
}

/** Puts an error in the place of the server's answer, and reports it. */
export const refusal = (
  { request }: RequestFacts,
  message: string,
  data?: unknown,
  code: number = ERRORS.internal,
): Settled => ({
  message: failure(request.id, code, message, data),
  tell: () => [{ error: code }],
});

const errorOf = (error: Failure['error'], data: unknown): Failure['error'] =>
  data === undefined ? error : { ...error, data };
