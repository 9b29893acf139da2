import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, randomBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Policy } from '../../engine/policy.js';
import { once } from '../../once.js';
import type { SessionRecord } from '../../session/store.js';
import { read } from '../../wire/messages.js';
import { seal, unseal } from '../../wire/seal.js';
import type { SessionId } from './kept-preferences.js';

/** 128 random bits in hexadecimal, then what is sealed. */
const SESSION_ID = /^([0-9a-f]{32})(?:\.([\w-]+))?$/;

/** In characters. Headers of some servers and gateways are limited to 8,000 in all. */
const MAX_LENGTH = 1024;

/** How far the clocks of processes and stores may differ, in milliseconds; of a short life, a tenth. */
const SKEW_MS = 60_000;

/** What opens a seal: nobody who lacks one of these can make or read it. */
export interface SealedFor {
  /** The policy in force. */
  readonly policy: Policy;
  /** To whom the session belongs: what tells the verified caller from others. */
  readonly caller?: readonly string[] | undefined;
  /** A secret that all processes of an endpoint share. Without it, only this process can open its seals. */
  readonly secret?: string | undefined;
}

/**
 * A policy is not secret: it is in a repository, in a package, or in the hands of people who use the endpoint. A Worker makes no
 * random bytes before its first request.
 */
const ownSecret = once(() => randomBytes(32));

/**
 * Makes the id of a session, with what the host preferred at `initialize` sealed into it. So a process that
 * restarted can begin the session again, and knows that it exists.
 *
 * @param sealedFor who can open the seal
 * @param record what is kept for the session
 * @returns visible ASCII characters. What does not fit into 1,024 is left out, and is only in the store.
 * @example
 * newSessionId({ policy, secret }, { concerns: { security: 'high' } });
 */
export function newSessionId(sealedFor: SealedFor, record: SessionRecord): string {
  const random = bytesToHex(randomBytes(16));
  const text = JSON.stringify({ at: Date.now(), record });
  const id = `${random}.${seal(keyOf(sealedFor), boundTo(random, sealedFor), text)}`;
  return id.length > MAX_LENGTH ? random : id;
}

/**
 * Takes a session id apart.
 *
 * @param sealedFor who can open the seal
 * @param id the id that a client sent
 * @param lifeMs how long its store keeps what was written: of an older session, it may have forgotten a change
 * @returns the parts; `undefined` if the id does not have the form of an id that `newSessionId` makes
 */
export function openSessionId(sealedFor: SealedFor, id: string, lifeMs: number): SessionId | undefined {
  const [, key, sealed] = id.length > MAX_LENGTH ? [] : (SESSION_ID.exec(id) ?? []);
  if (key === undefined) return undefined;
  const text = sealed === undefined ? undefined : unseal(keyOf(sealedFor), boundTo(key, sealedFor), sealed);
  const content: unknown = text === undefined ? undefined : JSON.parse(text);
  const [at, record] = [read(content, 'at'), read(content, 'record')];
  if (typeof at !== 'number' || typeof record !== 'object' || record === null) return { key };
  const isOld = Date.now() - at >= lifeMs - Math.min(SKEW_MS, lifeMs / 10);
  return { key, sealed: record, isOld };
}

const boundTo = (key: string, { caller = [] }: SealedFor): string => JSON.stringify([key, ...caller]);

function keyOf({ policy, secret }: SealedFor): Uint8Array {
  const key = secret === undefined ? ownSecret() : utf8ToBytes(secret);
  return hmac(sha256, key, utf8ToBytes(JSON.stringify(['session', policy.digest])));
}
