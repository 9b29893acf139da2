import { identityOf } from '../../engine/mapping.js';
import { KINDS, type Kind, type Settings } from '../../engine/policy.js';
import { KIND_NAMES } from '../language/kind-names.js';
import { problem } from '../language/problem.js';
import type { CatalogCheck } from './catalog-places.js';
import { reportsIn } from './check-values.js';

/** What follows the prefix in names that are reserved for `settings.panel`. `gate/table/routes.ts` has the same. */
const RESERVED: { readonly [K in Kind]: (prefix: string) => string } = {
  tools: (prefix) => `^${prefix}(?:_read|_update)?$`,
  prompts: (prefix) => `^${prefix}(?:$|-)`,
  resources: (prefix) => `^ui://${prefix}/`,
  resourceTemplates: () => '^(?!)',
};

/** Returns whether the gate leaves out a primitive of the server with this name or URI, unless `settings.panel` is off. */
export const isPanelName = ({ panelPrefix = 'concerns' }: Settings, kind: Kind, identity: string): boolean =>
  new RegExp(RESERVED[kind](panelPrefix)).test(identity);

/**
 * Reports primitives of a server whose names are reserved for what the gate adds under `settings.panel`: they are left out.
 */
export function checkPanelNames({ files, policy: { settings }, catalog, findings }: CatalogCheck): void {
  // The last file that has the setting decides.
  const file = files.findLast(({ document }) => document.settings?.panel !== undefined);
  if (file === undefined || settings.panel === 'off') return;
  for (const kind of KINDS) {
    const listed = new Set((catalog[kind] ?? []).map((item) => identityOf(kind, item)));
    for (const name of [...listed].filter((each) => isPanelName(settings, kind, each))) {
      const found = problem('panel-name-taken', { noun: KIND_NAMES[kind][0], name });
      reportsIn(file, findings).warn(['settings', 'panel'], found, 'key');
    }
  }
}
