import { pageOf } from '../../../engine/companions.js';
import { identityOf } from '../../../engine/mapping.js';
import { didYouMean } from '../../../engine/match/did-you-mean.js';
import { compileUriTemplate } from '../../../engine/match/uri-template.js';
import { KINDS, type Kind, type Policy } from '../../../engine/policy.js';
import { formerNames } from '../../../engine/servers/outside-names.js';
import { parseUse } from '../../../engine/uses/use-name.js';
import { isUse } from '../../../engine/uses/use-primitives.js';
import { once } from '../../../once.js';
import { KIND_NAMES } from '../../language/kind-names.js';
import { nearestReplacement, problem } from '../../language/problem.js';
import { toYamlScalar } from '../../language/yaml-scalars.js';
import { mayExist, type PolicyCatalog } from '../servers/own-catalog.js';
import type { ListCheck } from './list-check.js';

/**
 * Finds entries and patterns that match nothing that the server lists, and patterns that decide nothing.
 *
 * @param check the policy and the lists
 * @param whole whether the policy has no errors
 */
export function checkEntries(check: ListCheck, whole: boolean): void {
  const { files, policy, catalog, listed, report } = check;
  for (const file of files) {
    for (const kind of KINDS) {
      const own = listed.filter((each) => each.kind === kind);
      const names = new Set(own.map(({ name }) => name));
      const noun = KIND_NAMES[kind][0];
      const renamed = once(
        () =>
          new Map(
            own.flatMap(({ name, primitive }) =>
              formerNames(primitive).map((former) => [former, name] as const),
            ),
          ),
      );
      for (const name of Object.keys(file.document.primitives?.[kind] ?? {})) {
        if (kind === 'tools' && parseUse(name) !== undefined) continue;
        if (names.has(name) || isInherited(policy, kind, name, catalog)) continue;
        if (mayExist(catalog, kind, name)) continue;
        // wildcard-in-name says more.
        if (name.includes('*') && kind !== 'resourceTemplates') continue;
        const unmapped = own.filter(({ mapping }) => !mapping.mapped).map((each) => each.name);
        const now = renamed().get(name);
        const hint = (now === undefined ? didYouMean(name, unmapped) : ` Did you mean "${now}"?`) || KEPT;
        const replacement =
          now === undefined ? nearestReplacement(name, unmapped) : { scalar: name, yaml: toYamlScalar(now) };
        const found = problem('dead-entry.entry', { noun, name, hint }, replacement);
        report({ file, path: ['primitives', kind, name] }, found);
      }
      for (const { name, matches, assignments } of policy.patterns[kind]) {
        if (!Object.hasOwn(file.document.patterns?.[kind] ?? {}, name)) continue;
        const path = ['patterns', kind, name];
        const covered = own.filter((each) => !isUse(each.primitive) && matches(each.name));
        const decides = covered.some(({ mapping: { offers } }) =>
          assignments.some(
            ({ concern, offered }) => offers[concern]?.offered === offered || offered === 'any',
          ),
        );
        if (covered.length > 0) {
          const isShadowed = whole && assignments.length > 0 && !decides;
          if (isShadowed) report({ file, path }, problem('shadowed-entry', { name }));
        } else if (!mayExist(catalog, kind, name)) {
          report({ file, path }, problem('dead-entry.pattern', { name, noun }));
        }
      }
    }
  }
}

/** An entry that nothing replaces can stay: without it, what the server adds again would be unmapped. */
const KEPT =
  ' It decides again if the server adds it. To keep it, say why in a comment: # mcp-concerns-ignore dead-entry: reason.';

/**
 * Whether an entry has an effect although the server does not list its name: the page of a tool, a URI that matches a
 * template of the server, or a template of the policy from which listed resources inherit values.
 */
function isInherited(policy: Policy, kind: Kind, name: string, catalog: PolicyCatalog): boolean {
  if (kind === 'resources') {
    if ((catalog.tools ?? []).some((tool) => pageOf(tool) === name)) return true;
    return (catalog.resourceTemplates ?? []).some((template) =>
      compileUriTemplate(identityOf('resourceTemplates', template)).matches(name),
    );
  }
  if (kind !== 'resourceTemplates') return false;
  const { matches } = compileUriTemplate(name);
  return (catalog.resources ?? []).some((resource) => {
    const uri = identityOf('resources', resource);
    return !policy.entries.resources.has(uri) && matches(uri);
  });
}
