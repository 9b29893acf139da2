import type { CallAnswer } from '../../core/wire/calls.js';
import { type Era, METHODS, read } from '../../core/wire/messages.js';
import type { ServerCall } from '../call.js';
import { LEGACY_VERSIONS, MODERN_VERSION, SELF, wrapResult } from '../eras/envelope.js';
import { mergeIntroductions } from './merge.js';
import { ask, type Part, withoutToken } from './part.js';

/**
 * Answers `initialize` or `server/discover` for all servers. A server that does not answer in time is left out, and its
 * primitives are announced when it does.
 */
export async function introduce(parts: readonly Part[], call: ServerCall, era: Era): Promise<CallAnswer> {
  const { params } = call;
  const sent = { ...call, params: withoutToken(params) };
  const introductions = await Promise.all(parts.map((part) => part.member.introduce(ask(part, sent))));
  const slugs = parts.map(({ member }) => member.slug);
  const merged = mergeIntroductions(slugs, introductions);
  if (era === 'modern')
    return { result: wrapResult(METHODS.discover, { supportedVersions: [MODERN_VERSION], ...merged }, SELF) };
  const requested = read(params, 'protocolVersion');
  const known = LEGACY_VERSIONS.find((each) => each === requested) ?? LEGACY_VERSIONS[0];
  const versions = introductions.flatMap((about) => read(about, 'protocolVersion') ?? []);
  // Versions are dates, so the least of them is the one that all servers speak.
  const [protocolVersion] = [known, ...versions].toSorted();
  return { result: { protocolVersion, serverInfo: SELF, ...merged } };
}
