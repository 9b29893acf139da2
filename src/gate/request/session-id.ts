import { createHash, randomBytes } from 'node:crypto';
import type { Policy } from '../../engine/policy.js';
import type { SessionRecord } from '../../session/store.js';
import { read } from '../../wire/messages.js';
import { seal, unseal } from '../../wire/seal.js';
import type { SessionId } from './kept-preferences.js';

/** 128 random bits in hexadecimal, then what is sealed. */
const SESSION_ID = /^([0-9a-f]{32})(?:\.([\w-]{38,}))?$/;

/** In characters. Headers of some servers and gateways are limited to 8,000 in all. */
const MAX_LENGTH = 1024;

/** As long as stores keep a session without use: a store that does not know an older session may have forgotten a change. */
const MAX_AGE_MS = 24 * 60 * 60 * 1000;

/**
 * Makes the id of a session, with what the host preferred at `initialize` sealed into it. So these preferences hold also
 * where no store has them: after a failed write, or in a process that restarted. A client that forged a seal would only
 * choose preferences, which it may do at `initialize`; so the key is derived from the policy.
 *
 * @param policy the policy in force
 * @param record what is kept for the session
 * @param caller to whom the session belongs: what tells the verified caller from others
 * @returns visible ASCII characters. What does not fit into 1,024 is left out, and is only in the store.
 * @example
 * newSessionId(policy, { concerns: { security: 'high' } });
 */
export function newSessionId(policy: Policy, record: SessionRecord, caller: readonly string[] = []): string {
  const random = randomBytes(16).toString('hex');
  const id = `${random}.${seal(keyOf(policy), boundTo(random, caller), JSON.stringify({ at: Date.now(), record }))}`;
  return id.length > MAX_LENGTH ? random : id;
}

/** Returns the parts of a session id; `undefined` if it does not have the form of an id that `newSessionId` makes. */
export function openSessionId(
  policy: Policy,
  id: string,
  caller: readonly string[] = [],
): SessionId | undefined {
  const [, key, sealed] = id.length > MAX_LENGTH ? [] : (SESSION_ID.exec(id) ?? []);
  if (key === undefined) return undefined;
  const text = sealed === undefined ? undefined : unseal(keyOf(policy), boundTo(key, caller), sealed);
  const content: unknown = text === undefined ? undefined : JSON.parse(text);
  const [at, record] = [read(content, 'at'), read(content, 'record')];
  const isValid = typeof at === 'number' && Date.now() - at < MAX_AGE_MS;
  return { key, sealed: isValid && typeof record === 'object' && record !== null ? record : undefined };
}

const boundTo = (key: string, caller: readonly string[]): string => JSON.stringify([key, ...caller]);

const keyOf = ({ digest }: Policy): Buffer =>
  createHash('sha256')
    .update(JSON.stringify(['session', digest]))
    .digest();
