import { pathsOf } from '../../../engine/expression/expression.js';
import { parseExpression } from '../../../engine/expression/parse.js';
import { listNames } from '../../../engine/match/list-names.js';
import type { Finding } from '../../language/findings.js';
import { type Problem, problem } from '../../language/problem.js';
import type { Path } from '../../language/read-yaml.js';
import { compiledName } from '../../language/schema.js';
import { comparisons, conditionsIn } from '../check-rule-names.js';
import { type ConcernDeclaration, type Reports, reportsIn } from '../check-values.js';
import {
  AGREED,
  agreedOf,
  type ServerEntry,
  type ServerPart,
  type Servers,
  sharedValue,
} from './server-parts.js';
import { sharePresets } from './shared-presets.js';

/**
 * Checks that the policies of several servers fit each other. What a person has to decide is a finding, and nothing that one of
 * them says is left out in silence.
 *
 * @param servers the policies, each without errors of its own
 * @param known the servers that exist; `undefined` if only their entries are known
 * @returns the findings, all of them in the policy of all servers
 * @example
 * checkServers({ files, top, parts, shared }, ['files', 'git']);
 */
export function checkServers(servers: Servers, known: readonly string[] | undefined): Finding[] {
  const findings: Finding[] = [];
  checkServerNames(servers, findings);
  for (const part of servers.parts) {
    const { entry } = part;
    if (entry !== undefined)
      new EntryCheck(part, entry, servers, reportsIn(entry.file, findings)).check(known);
  }
  sharePresets(servers, (preset, concern, first, { slug, entry }) => {
    if (entry === undefined) return;
    const found = problem('conflicting-policies.preset', { preset, concern, first: first.slug, slug });
    reportsIn(entry.file, findings).error(['servers', entry.key], found, 'key');
  });
  return findings;
}

/** A comparison with a server that does not exist is always false. */
function checkServerNames({ files, parts }: Servers, findings: Finding[]): void {
  const slugs = parts.map(({ slug }) => slug);
  for (const { file, path, expression } of files.flatMap(conditionsIn)) {
    for (const { literal } of comparisons(expression, SERVER)) {
      const name = String(literal.value);
      if (slugs.includes(name)) continue;
      const names = { name, slugs: listNames(slugs) };
      const found = problem('unknown-server.rule', names, { scalar: name, known: slugs });
      reportsIn(file, findings).warn([...path, ...literal.place], found, 'key');
    }
  }
}

const SERVER: ReadonlySet<string> = new Set(['primitive.server']);

/** Checks the entry of one server, and what its policy says, against the others. */
class EntryCheck {
  private readonly path: Path;
  /** What to do with a concern that does not fit. */
  private readonly leave: string;

  constructor(
    private readonly part: ServerPart,
    private readonly entry: ServerEntry,
    private readonly servers: Servers,
    private readonly reports: Reports,
  ) {
    this.path = ['servers', entry.key];
    this.leave = `leave it out with servers.${entry.key}.concerns`;
  }

  check(known: readonly string[] | undefined): void {
    const { slug, concerns } = this.part;
    if (known?.includes(slug) === false) {
      const names = { slug, known: listNames(known) };
      this.reports.warn(this.path, problem('unknown-server.entry', names, { scalar: slug, known }), 'key');
    }
    this.checkNames();
    for (const [name, own] of concerns) {
      this.checkScale(name, own);
      this.checkAgreement(name);
    }
    this.checkSettings();
    this.checkHierarchies();
  }

  private error(found: Problem, at: Path = this.path): void {
    this.reports.error(at, found, 'key');
  }

  private mustBeOne(what: 'concern' | 'value', name: string, known: readonly string[], at: Path): void {
    if (known.includes(name)) return;
    const names = { name, names: listNames(known) };
    this.error(problem(`unknown-${what}.server`, names, { scalar: name, known }), at);
  }

  /** What the entry names must exist in the policy of the server, and here. */
  private checkNames(): void {
    const { files, concerns } = this.part;
    const { shared } = this.servers;
    const all = files.flatMap(({ document }) => Object.keys(document.concerns ?? {}));
    this.entry.concerns?.forEach((name, index) => {
      this.mustBeOne('concern', name, all, [...this.path, 'concerns', index]);
    });
    for (const [name, map] of this.entry.map) {
      const at = [...this.path, 'map', name];
      const [own, here] = [concerns.get(name)?.values, shared.concerns.get(name)?.values];
      if (own === undefined) this.mustBeOne('concern', name, [...concerns.keys()], at);
      else if (shared.hierarchies.has(name) || 'min' in own || here === undefined || 'min' in here) {
        this.error(problem('scale-mismatch.map', { name }), at);
      } else {
        for (const [value, target] of map) {
          if (own.includes(value)) this.mustBeOne('value', target, here, [...at, value]);
          else this.mustBeOne('value', value, own, [...at, value]);
        }
      }
    }
  }

  /** The values of a concern must have a place in the shared concern, in the same order. */
  private checkScale(name: string, own: ConcernDeclaration): void {
    const { part, leave } = this;
    const { shared } = this.servers;
    const { slug } = part;
    const to = shared.concerns.get(name);
    if (to === undefined) return;
    const isOrdered = own.match === 'at-least' || own.match === 'at-most';
    if (shared.hierarchies.has(name)) {
      if ('min' in own.values || isOrdered)
        this.error(problem('scale-mismatch.order', { name, slug, leave }));
      return;
    }
    const [here, there] = [comparedBy(to), comparedBy(own)];
    if (here !== there)
      return this.error(problem('scale-mismatch.match', { name, slug, there, here, leave }));
    const { values } = to;
    if ('min' in own.values && 'min' in values) {
      const fits = own.values.min >= values.min && own.values.max <= values.max;
      if (!fits) this.error(problem('scale-mismatch.range', { name, slug }));
    }
    if ('min' in own.values || 'min' in values) return;
    const places = own.values.map((value) => values.indexOf(sharedValue(part, shared, name, value)));
    const missing = own.values.filter(
      (value, index) => places[index] === -1 && this.entry.map.get(name)?.has(value) !== true,
    );
    if (missing.length > 0) {
      const map = missing.map((value) => `${value}: ...`).join(', ');
      const names = { missing: missing.join(', '), known: listNames(values) };
      return this.error(problem('scale-mismatch.values', { name, slug, ...names, map, leave }));
    }
    const turn = places.findIndex((place, index) => place < (places[index - 1] ?? 0));
    if (!isOrdered || turn === -1 || places.includes(-1)) return;
    const [before, after] = own.values.slice(turn - 1);
    this.error(problem('map-order', { before, after, name, slug }), [...this.path, 'map', name]);
  }

  /** Policies that say different things about one concern need a person who decides. */
  private checkAgreement(name: string): void {
    const { files, parts, shared } = this.servers;
    const written = files.flatMap(({ document }) => Object.entries(document.concerns ?? {}));
    const here = new Map(written).get(name);
    // The default of one server would limit all others.
    const first = shared.hierarchies.has(name) ? undefined : parts.find((each) => each.concerns.has(name));
    const [own, others] = [agreedOf(this.part, name), first === undefined ? {} : agreedOf(first, name)];
    for (const key of AGREED) {
      const [mine, theirs] = [own[key], others[key]].map((value) => JSON.stringify(value) ?? 'not set');
      if (mine === theirs || here?.[key] !== undefined) continue;
      const whom = first?.slug ?? 'all servers together';
      const { slug } = this.part;
      this.error(problem('conflicting-policies.concern', { key, name, mine, slug, theirs, whom }));
    }
  }

  /** Settings belong to the endpoint, but for `unmapped`. Protection that a policy has alone must not get lost. */
  private checkSettings(): void {
    const { slug, files } = this.part;
    const here = new Map<string, unknown>(Object.entries(this.servers.top.settings));
    for (const [name, value] of files.flatMap(({ document }) => Object.entries(document.settings ?? {}))) {
      const ours = here.get(compiledName(name));
      if (name === 'unmapped' || JSON.stringify(ours) === JSON.stringify(value)) continue;
      const report = value === 'enforce' ? this.reports.error : this.reports.warn;
      report(this.path, problem('policy-setting', { name, slug, value: JSON.stringify(value) }), 'key');
    }
  }

  private checkHierarchies(): void {
    const { slug, policy } = this.part;
    for (const { id, when } of policy?.rules ?? []) {
      const concern = pathsOf(parseExpression(when).expression).find((path) =>
        this.servers.shared.hierarchies.has(path.replace('concerns.', '')),
      );
      if (concern === undefined) continue;
      this.error(problem('within-compared.server', { id, slug, concern }));
    }
  }
}

/** Everything but the values that decides what a preference shows. */
function comparedBy({ values, match, multiple }: ConcernDeclaration): string {
  if ('min' in values) return `range with match: ${match ?? 'at-most'}`;
  return `list with match: ${match ?? 'exact'}${multiple === true ? ' and multiple: true' : ''}`;
}
