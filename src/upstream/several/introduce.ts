import type { CallAnswer } from '../../wire/calls.js';
import { type Era, METHODS, read } from '../../wire/messages.js';
import type { Params, ServerCall } from '../call.js';
import { LEGACY_VERSIONS, MODERN_VERSION, SELF, withoutMeta, wrapResult } from '../eras/envelope.js';
import { mergeIntroductions } from './merge.js';
import { ask, type Part } from './part.js';

/**
 * Answers `initialize` or `server/discover` for all servers. A server that does not answer in time is left out, and its
 * primitives are announced when it does.
 */
export async function introduce(parts: readonly Part[], call: ServerCall, era: Era): Promise<CallAnswer> {
  const { params } = call;
  const sent = { ...call, params: withoutToken(params) };
  const introductions = await Promise.all(parts.map((part) => part.member.introduce(ask(part, sent))));
  const merged = mergeIntroductions(introductions);
  if (era === 'modern')
    return { result: wrapResult(METHODS.discover, { supportedVersions: [MODERN_VERSION], ...merged }, SELF) };
  const versions = introductions.flatMap(({ about }) => {
    const version = about?.protocolVersion;
    return typeof version === 'string' ? [version] : [];
  });
  const requested = read(params, 'protocolVersion');
  const known = LEGACY_VERSIONS.find((each) => each === requested) ?? LEGACY_VERSIONS[0];
  // Versions are dates, so the least of them is the one that all servers speak.
  const protocolVersion = [known, ...versions].sort()[0];
  return { result: { protocolVersion, serverInfo: SELF, ...merged } };
}

/** Several servers would report progress under the one token of the client. */
export function withoutToken(params: Params): Params {
  const token = read(params, '_meta', 'progressToken');
  if (params === undefined || token === undefined) return params;
  return withoutMeta(params, ['progressToken']);
}
