import { METHODS, read } from '../../wire/messages.js';
import { type ChannelOwner, ownCall, type Params } from '../call.js';
import { Channel } from '../channel.js';
import type { Opened } from '../recovery.js';
import { InitializeRefused, UNSUPPORTED_VERSION, UpstreamError } from '../upstream-error.js';
import type { Wire } from '../wires/wire.js';
import { LEGACY_VERSIONS, type Members, MODERN_VERSION, SELF, wrapParams } from './envelope.js';

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
  limits: Limits,
  params: Params,
  announce: boolean,
): Promise<Opened> {
  const handshake = (channel: Channel) => initialize(channel, params, announce);
  if (!(wire instanceof Channel)) return Channel.open(wire, owner, limits, handshake);
  wire.owner = owner;
  try {
    return { channel: wire, about: await wire.within(limits.startMs, () => handshake(wire)) };
  } catch (cause) {
    await wire.close();
    throw cause;
  }
}

async function initialize(channel: Channel, params: Params, announce: boolean): Promise<Members> {
  const answer = await channel.request(ownCall(METHODS.initialize, params));
  if ('failed' in answer) {
    const { reason, isRefused, http } = answer.failed;
    throw new (isRefused ? InitializeRefused : UpstreamError)(reason, { http });
  }
  if ('error' in answer) {
    throw new InitializeRefused(`it refused to initialize: ${answer.error.message.slice(0, MAX_REASON)}`);
  }
  channel.hasSession = true;
  channel.wire.setProtocolVersion?.(String(answer.result.protocolVersion));
  if (announce) channel.pass(METHODS.initialized);
  return answer.result;
}

/** What a probe found: a server of the modern era, or one of the legacy era, and its process if that still runs. */
export type Found =
  | { readonly era: 'modern'; readonly opened: Opened }
  | { readonly era: 'legacy'; readonly spare?: Channel };

/**
 * Asks a server whether it speaks 2026-07-28 (basic/versioning). Any answer but its `DiscoverResult` means that it does
 * not, and so does silence. A failure tells nothing.
 *
 * @param wire the bytes, not started
 * @param isProcess whether the same connection can be initialized if the server does not
 * @throws {UpstreamError} if nobody knows: for 401, 403, 5xx, and a server that cannot be reached
 */
export async function probe(
  wire: Wire,
  owner: ChannelOwner,
  limits: Limits,
  isProcess: boolean,
): Promise<Found> {
  let isStarted = false;
  try {
    const { channel, about } = await Channel.open(wire, owner, limits, async (opened) => {
      isStarted = true;
      return isProcess ? Promise.race([discover(opened), silence()]) : discover(opened);
    });
    if (about !== undefined) {
      channel.ping = { method: METHODS.discover, params: wrapParams(undefined, NOBODY) };
      return { era: 'modern', opened: { channel, about } };
    }
    if (isProcess) return { era: 'legacy', spare: channel };
    await channel.close();
    return { era: 'legacy' };
  } catch (cause) {
    // Some servers exit when their first message is not `initialize`.
    if (isStarted && cause instanceof UpstreamError && cause.isEnded) return { era: 'legacy' };
    throw cause;
  }
}

const silence = (): Promise<undefined> =>
  new Promise((resolve) => setTimeout(resolve, SILENT_MS, undefined).unref());

async function discover(channel: Channel): Promise<Members | undefined> {
  const answer = await channel.request(ownCall(METHODS.discover, wrapParams(undefined, NOBODY)));
  if ('failed' in answer) {
    const { isRefused, reason, http, isLost } = answer.failed;
    // An address without a modern server answers 404 or 400. 401 and 403 are about the caller.
    const status = http?.status ?? 0;
    if (isRefused ? status !== 403 : status === 404 || status === 410) return undefined;
    throw new UpstreamError(reason, { http, isEnded: isLost === true });
  }
  if ('result' in answer) {
    const versions = answer.result.supportedVersions;
    return Array.isArray(versions) && versions.includes(MODERN_VERSION) ? answer.result : undefined;
  }
  if (answer.error.code !== UNSUPPORTED_VERSION) return undefined;
  const supported = read(answer.error.data, 'supported');
  const versions = Array.isArray(supported) ? supported.map(String) : [];
  if (LEGACY_VERSIONS.some((each) => versions.includes(each))) return undefined;
  throw new UnknownVersions(versions);
}

/** The server speaks versions that this package does not. */
export class UnknownVersions extends UpstreamError {
  constructor(versions: readonly string[]) {
    const named = versions.length === 0 ? 'versions that it does not name' : versions.join(', ');
    super(`it speaks only ${named.slice(0, MAX_REASON)}`);
  }
}
