import { setTimeout as sleep } from 'node:timers/promises';
import { METHODS, type Members, read } from '../../wire/messages.js';
import { type ChannelOwner, ownCall, type Params } from '../call.js';
import { Channel } from '../channel.js';
import { EraUnavailable, InitializeRefused, UNSUPPORTED_VERSION, UpstreamError } from '../upstream-error.js';
import type { Wire } from '../wires/wire.js';
import { LEGACY_VERSIONS, MODERN_VERSION, SELF, wrapParams } from './envelope.js';

/** Milliseconds after which a silent process counts as legacy: `npx` may still download it. It is not ended. */
const SILENT_MS = 3000;
const MAX_REASON = 300;

export interface Limits {
  readonly startMs: number;
  readonly silenceMs: number;
}

/** The envelope of requests that belong to no client. */
export const NOBODY = { info: SELF, capabilities: {} } as const;

/**
 * Opens a server that is spoken to in the legacy era.
 *
 * @param wire the bytes, not started; or a connection on which the server refused `server/discover`
 * @param params what `initialize` says
 * @param announce whether the client has sent `notifications/initialized`
 * @throws {UpstreamError} if it cannot be opened, or refuses
 */
export async function openLegacy(
  wire: Wire | Channel,
  owner: ChannelOwner,
  { startMs, silenceMs }: Limits,
  params: Params,
  announce: boolean,
): Promise<Channel> {
  const channel = wire instanceof Channel ? wire : new Channel(wire, owner, silenceMs);
  channel.owner = owner;
  await channel.begin(startMs, () => initialize(channel, params, announce));
  return channel;
}

async function initialize(channel: Channel, params: Params, announce: boolean): Promise<void> {
  const answer = await channel.request(ownCall(METHODS.initialize, params));
  if ('failed' in answer) {
    const { message, failure } = answer.failed;
    throw failure.isRefused ? new InitializeRefused(message, failure) : answer.failed;
  }
  if ('error' in answer) {
    throw new InitializeRefused(`it refused to initialize: ${answer.error.message.slice(0, MAX_REASON)}`);
  }
  channel.about = answer.result;
  channel.hasSession = true;
  channel.wire.setProtocolVersion?.(String(answer.result.protocolVersion));
  if (announce) channel.pass(METHODS.initialized);
}

/**
 * Opens a server that is spoken to in the modern era. Any answer but its `DiscoverResult` means that it does not speak
 * 2026-07-28, and so does silence (basic/versioning). A failure tells nothing.
 *
 * @param wire the bytes, not started
 * @param keep receives the connection to a process that speaks the legacy era: it can be initialized
 * @param mayBeLegacy whether the server is a process that may speak the legacy era: it is silent then, and can be initialized
 * @throws `EraUnavailable` if it speaks the legacy era
 * @throws {UpstreamError} if nobody knows: for 401, 403, 5xx, and a server that cannot be reached
 */
export async function openModern(
  wire: Wire,
  owner: ChannelOwner,
  { startMs, silenceMs }: Limits,
  mayBeLegacy: boolean,
  keep: (spare: Channel) => void,
): Promise<Channel> {
  const channel = new Channel(wire, owner, silenceMs);
  const found: { about?: Members | undefined } = {};
  try {
    await channel.begin(startMs, async () => {
      const silence = mayBeLegacy ? [sleep(SILENT_MS, undefined, { ref: false })] : [];
      found.about = await Promise.race([discover(channel), ...silence]);
    });
  } catch (cause) {
    // Some servers exit when their first message is not `initialize`.
    const hasExited = channel.isStarted && cause instanceof UpstreamError && cause.failure.isEnded === true;
    throw hasExited ? new EraUnavailable(LEGACY) : cause;
  }
  if (found.about !== undefined) {
    channel.about = found.about;
    channel.ping = discovery();
    return channel;
  }
  if (mayBeLegacy) keep(channel);
  else await channel.close();
  throw new EraUnavailable(LEGACY);
}

const LEGACY = `it does not speak ${MODERN_VERSION}`;

/** What asks a server of the modern era what it is, for no client. */
export const discovery = () => ownCall(METHODS.discover, wrapParams(undefined, NOBODY));

async function discover(channel: Channel): Promise<Members | undefined> {
  const answer = await channel.request(discovery());
  if ('failed' in answer) {
    const { isRefused, http } = answer.failed.failure;
    // An address without a modern server answers 404 or 400. 401 and 403 are about the caller.
    const status = http?.status ?? 0;
    if (isRefused ? status !== 403 : status === 404 || status === 410) return undefined;
    throw answer.failed;
  }
  if ('result' in answer) {
    const versions = answer.result.supportedVersions;
    return Array.isArray(versions) && versions.includes(MODERN_VERSION) ? answer.result : undefined;
  }
  if (answer.error.code !== UNSUPPORTED_VERSION) return undefined;
  const supported = read(answer.error.data, 'supported');
  const versions = Array.isArray(supported) ? supported.map(String) : [];
  if (LEGACY_VERSIONS.some((each) => versions.includes(each))) return undefined;
  const named = versions.length === 0 ? 'versions that it does not name' : versions.join(', ');
  throw new UnknownVersions(`it speaks only ${named.slice(0, MAX_REASON)}`);
}

/** The server speaks versions that this package does not. */
export class UnknownVersions extends UpstreamError {}
