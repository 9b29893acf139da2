import { LEGACY_VERSIONS, MODERN_VERSION } from '../../upstream/eras/envelope.js';
import type { Bridge } from '../../upstream/isolation.js';
import { explainEra } from '../inputs/explain-era.js';
import type { Serving } from './serving.js';

const [LEGACY_VERSION] = LEGACY_VERSIONS;

/**
 * Opens the server, and says which versions of the protocol hosts and server speak. The opened process is the first that
 * is used.
 *
 * @throws {CliError} if the server cannot be opened, or speaks none of these versions
 */
export async function eraLines({ opened, limits }: Serving, bridged: Bridge): Promise<string[]> {
  const hosts = `Hosts:   ${MODERN_VERSION} and ${LEGACY_VERSION}`;
  if ('several' in opened) return [hosts, `Servers: ${[...opened.several.keys()].join(', ')}`];
  if ('modern' in opened) return [hosts, `Server:  ${MODERN_VERSION} and ${LEGACY_VERSION}`];
  const era = 'open' in opened ? await bridged.era().catch((cause) => explainEra(cause)) : 'legacy';
  const shared =
    limits.isolation === 'per-session'
      ? ', which share one process (--isolation per-request to separate them)'
      : '';
  const server =
    era === 'modern'
      ? `Server:  ${MODERN_VERSION}. Hosts of ${LEGACY_VERSION} cannot use its tasks.`
      : `Server:  ${LEGACY_VERSION}, translated for ${MODERN_VERSION} hosts${'open' in opened ? shared : ''}`;
  return [hosts, server];
}
