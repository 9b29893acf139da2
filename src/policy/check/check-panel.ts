import { identityOf, type ServerCatalog } from '../../engine/mapping.js';
import { KINDS, type Kind, type Policy, type Settings } from '../../engine/policy.js';
import { KIND_NAMES } from '../language/kind-names.js';
import { problem } from '../language/problem.js';
import type { ReportPart } from './catalog-places.js';
import type { CheckedFile } from './check-values.js';

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
 *
 * @param files the files of the policy
 * @param policy the policy that was compiled from these files
 * @param catalog the primitives that the server lists
 * @param report receives one finding for each name
 * @example
 * checkPanelNames(files, policy, { tools: [{ name: 'concerns' }] }, report);
 */
export function checkPanelNames(
  files: readonly CheckedFile[],
  { settings }: Policy,
  catalog: ServerCatalog,
  report: ReportPart,
): void {
  // The last file that has the setting decides.
  const file = files.findLast(({ document }) => document.settings?.panel !== undefined);
  if (file === undefined || settings.panel === 'off') return;
  for (const kind of KINDS) {
    const listed = new Set((catalog[kind] ?? []).map((item) => identityOf(kind, item)));
    for (const name of [...listed].filter((each) => isPanelName(settings, kind, each))) {
      report(file, ['settings', 'panel'], problem('panel-name-taken', { noun: KIND_NAMES[kind][0], name }));
    }
  }
}
