import { readOwn } from '../engine/expression/evaluate.js';
import { parseJson } from '../http/request-body.js';

/** Claims that are names (RFC 7519, RFC 9068): `42` in them stays a string. */
const NAMES: ReadonlySet<string> = new Set(['iss', 'sub', 'jti', 'client_id', 'azp', 'username']);

/**
 * Claims that can be read as lists without the token, because their elements have no blanks: scopes (RFC 6749, section 3.3)
 * and the groups of Amazon Cognito, https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_CreateGroup.html
 */
const LISTS_OF_WORDS: ReadonlySet<string> = new Set(['scope', 'scp', 'scopes', 'cognito:groups']);

/**
 * Restores a claim that API Gateway wrote as text. Its texts have lost where an element of a list ends: `[not admin]` can be
 * one group or two. If the token that the authorizer verified is known, its claim counts if API Gateway writes
 * it as this very text. Without it, a text that can be a list or an object is `null`: a claim that is there and matches nothing.
 *
 * An HTTP API writes lists as `[a b]` and leaves out claims that are null (captured in
 * https://github.com/floci-io/floci/pull/2011). How it writes objects is not documented. There are reports of JSON, and of
 * `map[roles:[a b]]`, which is how Go prints objects. The Amazon Cognito authorizer of a REST API writes lists as `a,b`.
 *
 * @param value the claim in the event
 * @param name its name
 * @param payload the claims of the token that the authorizer verified, see `payloadOf`; empty if nothing tells which one it is
 * @param isRest whether the event is in payload format 1.0
 * @returns the claim as it is in the token; without the token as far as it can be known, `null` if it cannot
 * @example
 * claimFromText('[not admin]', 'groups', { groups: ['not admin'] }, false); // ['not admin']
 */
export function claimFromText(value: unknown, name: string, payload: object, isRest: boolean): unknown {
  if (typeof value !== 'string' || NAMES.has(name)) return value;
  const sent = readOwn(payload, name);
  if (sent !== undefined && isWrittenAs(sent, value)) return sent;
  if (isRest && name === 'cognito:groups') return value.includes(',') ? null : [value];
  const list = /^\[(.*)\]$/s.exec(value)?.[1];
  if (list !== undefined && !isRest && LISTS_OF_WORDS.has(name)) {
    return list === '' ? [] : list.split(' ').map(scalar);
  }
  return /^(?:map)?\[.*\]$|^\{.*\}$/s.test(value) ? null : scalar(value);
}

/**
 * Reads a value of the context that a Lambda authorizer of a REST API returned. It is text, so lists and objects are JSON.
 *
 * @returns the list, the object, the number or the boolean that the text is; else the text. `42` becomes a number, but `007`
 *   and `1e3` stay text, because nothing writes numbers like that
 * @example
 * contextFromText('["staff"]', 'groups'); // ['staff']
 */
export function contextFromText(value: unknown, name: string): unknown {
  if (typeof value !== 'string' || NAMES.has(name)) return value;
  return (/^[[{]/.test(value) ? fromJson(value) : undefined) ?? scalar(value);
}

/**
 * @param token a token, in any form
 * @returns the claims of a JWT, which nothing has verified; empty if the token is not one
 * @example
 * payloadOf('eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl'); // { sub: 'ann' }
 */
export function payloadOf(token: string): object {
  const [, payload = ''] = token.split('.');
  return fromJson(Buffer.from(payload, 'base64url').toString()) ?? {};
}

function isWrittenAs(claim: unknown, text: string): boolean {
  try {
    return [String(claim), JSON.stringify(claim), asGo(claim)].includes(text);
  } catch {
    // Nested too deeply.
    return false;
  }
}

/** Writes a claim as Go prints it (`%v`). */
function asGo(claim: unknown): string {
  if (Array.isArray(claim)) return `[${claim.map(asGo).join(' ')}]`;
  if (typeof claim !== 'object' || claim === null) return claim === null ? '<nil>' : String(claim);
  const members = Object.entries(claim).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${members.map(([name, value]) => `${name}:${asGo(value)}`).join(' ')}]`;
}

function fromJson(text: string): object | undefined {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null ? value : undefined;
}

function scalar(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text ? number : text;
}
