import { setTimeout as sleep } from 'node:timers/promises';
import { METHODS, type Members, read } from '../../core/wire/messages.js';
import { type ChannelOwner, ownCall, type Params, type ServerCall } from '../call.js';
import { Channel } from '../channel.js';
import { EraUnavailable, InitializeRefused, UNSUPPORTED_VERSION, UpstreamError } from '../upstream-error.js';
import type { Wire } from '../wires/wire.js';
import { type ClientFacts, LEGACY_VERSIONS, MODERN_VERSION, SELF, wrapParams } from './envelope.js';

/**
 * Milliseconds after which a silent process is asked for a sign of life: `npx` may still download it. Then it answers both
 * messages, in any order and at once; a server that ignores `server/discover` answers only the second. A server that answers
 * neither for so long may speak only the legacy era: it is initialized, and its late answer still counts.
 */
const SILENT_MS = { sign: 3000, grace: 1000, initialize: 15_000 };
const MAX_REASON = 300;

export interface Limits {
  readonly startMs: number;
  readonly silenceMs: number;
}

/** The envelope of requests that belong to no client. */
export const NOBODY: ClientFacts = { info: SELF, capabilities: {} };

/**
 * Opens a server that is spoken to in the legacy era.
 *
 * @param wire the bytes, not started; or a connection on which the server has not answered `server/discover` with what it is
 * @param params what `initialize` says
 * @param announce whether the client has sent `notifications/initialized`
 * @param mayTurn whether a process that refuses may be spoken to in the modern era, so that it is not started twice
 * @throws {UpstreamError} if it cannot be opened, or refuses
 */
export async function openLegacy(
  wire: Wire | Spare,
  owner: ChannelOwner,
  { startMs, silenceMs }: Limits,
  params: Params,
  announce: boolean,
  mayTurn = false,
): Promise<Channel> {
  const { channel, late } =
    'late' in wire ? wire : { channel: new Channel(wire, owner, silenceMs), late: undefined };
  channel.owner = owner;
  let turned: TurnedModern | undefined;
  await channel.begin(startMs, async () => {
    try {
      await initialize(channel, params, announce);
    } catch (cause) {
      if (!(cause instanceof InitializeRefused)) throw cause;
      // It may refuse because it has read the earlier question by now. One that was not asked is asked now: it has started.
      const known = late ?? (mayTurn ? discover(channel).catch(() => undefined) : undefined);
      const about = await Promise.race([known, sleep(SILENT_MS.grace, undefined, { ref: false })]);
      if (about === undefined) throw cause;
      becomeModern(channel, about);
      turned = new TurnedModern(channel, cause.message);
    }
  });
  if (turned !== undefined) throw turned;
  return channel;
}

/** A process that was asked what it is, and can still be initialized. */
export interface Spare {
  readonly channel: Channel;
  /** Whether it has answered nothing at all, so that it may speak either era. */
  readonly isSilent: boolean;
  /** What it is, if it answers `server/discover`: that may be later. */
  readonly late: Promise<Members | undefined>;
}

/** A process that refused to be initialized, because it has said meanwhile that it speaks the modern era. Its connection is used. */
export class TurnedModern extends InitializeRefused {
  constructor(
    readonly channel: Channel,
    message: string,
  ) {
    super(message);
  }
}

/** Speaks the modern era on a connection from now on. */
export function becomeModern(channel: Channel, about: Members): void {
  channel.about = about;
  channel.ping = discovery();
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
 * @param isProcess whether the server is one
 * @throws `EraUnavailable` if it speaks the legacy era
 * @throws {UpstreamError} if nobody knows: for 401, 403, 5xx, and a server that cannot be reached
 */
export async function openModern(
  wire: Wire,
  owner: ChannelOwner,
  { startMs, silenceMs }: Limits,
  isProcess: boolean,
  keep: (spare: Spare) => void,
): Promise<Channel> {
  const channel = new Channel(wire, owner, silenceMs);
  const found: { about?: Members | undefined; late?: Promise<Members | undefined>; isSilent?: boolean } = {};
  try {
    await channel.begin(startMs, async () => {
      const answer = discover(channel);
      found.late = answer.catch(() => undefined);
      const silence = async (): Promise<undefined> => {
        found.isSilent = await isSilent(channel);
        return undefined;
      };
      found.about = await (isProcess ? Promise.race([answer, silence()]) : answer);
    });
  } catch (cause) {
    // Some servers exit when their first message is not `initialize`.
    const hasExited = channel.isStarted && cause instanceof UpstreamError && cause.failure.isEnded === true;
    throw hasExited ? new EraUnavailable(LEGACY) : cause;
  }
  if (found.about !== undefined) {
    becomeModern(channel, found.about);
    return channel;
  }
  const { late = Promise.resolve(undefined), isSilent: hasNotAnswered = false } = found;
  if (isProcess) keep({ channel, late, isSilent: hasNotAnswered });
  else await channel.close();
  throw new EraUnavailable(LEGACY);
}

/** Resolves when a process that is asked what it is has had its time, with whether it answers nothing at all. */
async function isSilent(channel: Channel): Promise<boolean> {
  const after = (ms: number): Promise<undefined> => sleep(ms, undefined, { ref: false });
  await after(SILENT_MS.sign);
  const sign = channel.request(ownCall('ping', wrapParams(undefined, NOBODY)));
  const ignores = sign.then(() => after(SILENT_MS.grace)).then(() => false);
  return Promise.race([ignores, after(SILENT_MS.initialize).then(() => true)]);
}

const LEGACY = `it does not speak ${MODERN_VERSION}`;

/** What asks a server of the modern era what it is, for no client. */
export const discovery = (): ServerCall => ownCall(METHODS.discover, wrapParams(undefined, NOBODY));

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
