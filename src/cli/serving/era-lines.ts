import { setTimeout as sleep } from 'node:timers/promises';
import type { Era } from '../../core/wire/messages.js';
import { LEGACY_VERSIONS, MODERN_VERSION } from '../../proxy/eras/envelope.js';
import type { Bridge } from '../../proxy/isolation.js';
import { explainEra } from '../inputs/listing/explain-era.js';
import { forwardsTo } from '../inputs/open-server.js';
import type { Serving } from './serving.js';

/** How long the address of the endpoint waits for its server. */
const LATE_MS = 5000;
const [LEGACY_VERSION] = LEGACY_VERSIONS;
const ERAS = ['legacy', 'modern'] as const;

/**
 * Opens the server, and says which versions of the protocol hosts and server speak. The opened process is the first that
 * is used. A server that was up before is not waited for.
 *
 * @throws {CliError} if the server cannot be opened, or speaks none of these versions
 */
export async function eraLines(serving: Serving, bridged: Bridge): Promise<string[]> {
  const { opened, limits, keeperOf, operations } = serving;
  const hosts = `Hosts:   ${MODERN_VERSION} and ${LEGACY_VERSION}`;
  if ('several' in opened) return [hosts, `Servers: ${[...opened.several.keys()].join(', ')}`];
  if ('modern' in opened) return [hosts, `Server:  ${MODERN_VERSION} and ${LEGACY_VERSION}`];
  if (forwardsTo(opened)) return [hosts, 'Server:  gets the header Authorization of each host'];
  const shared =
    limits.isolation === 'per-session'
      ? ', which share one process (--isolation per-request to separate them)'
      : '';
  const lineOf = (era: Era | undefined) =>
    era === 'modern'
      ? `Server:  ${MODERN_VERSION}. Hosts of ${LEGACY_VERSION} cannot use its tasks.`
      : `Server:  ${LEGACY_VERSION}, translated for ${MODERN_VERSION} hosts${'open' in opened ? shared : ''}`;
  if (!('open' in opened)) return [hosts, lineOf('legacy')];
  const opening = bridged.era();
  if (!ERAS.some((era) => keeperOf?.(era).read() !== undefined)) {
    const late = sleep(LATE_MS, undefined, { ref: false });
    const era = await Promise.race([
      opening.catch((cause) => explainEra(cause, undefined, opened.advice)),
      late,
    ]);
    if (era !== undefined) return [hosts, lineOf(era)];
    noteLater(opening);
    return [hosts, 'Server:  has not answered yet. Its protocol version is printed when it does.'];
  }
  noteLater(opening);
  return [hosts, 'Server:  starting. Until it is up, hosts get its lists of the last start.'];

  /** Why it cannot be opened is written when it happens, and each request opens it again. */
  function noteLater(known: Promise<Era | undefined>): void {
    void known
      .then((era) => era ?? bridged.decided)
      .then(
        (era) => operations.note(lineOf(era)),
        () => undefined,
      );
  }
}
