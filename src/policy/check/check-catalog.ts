import { analyze, canPart } from '../../analysis/analyze.js';
import { isTruthy } from '../../engine/expression/evaluate.js';
import {
  identityOf,
  type Mapping,
  mapPrimitive,
  type Primitive,
  type ServerCatalog,
} from '../../engine/mapping.js';
import { nearest } from '../../engine/match/nearest.js';
import { compileUriTemplate } from '../../engine/match/uri-template.js';
import { KINDS, type Kind, type Policy } from '../../engine/policy.js';
import type { Finding, FindingCode } from '../language/findings.js';
import type { Path } from '../language/read-yaml.js';
import type { CheckedFile } from './check-values.js';

/** A server's surface: its primitives, and the text that it gives a model on connecting. */
export interface PolicyCatalog extends ServerCatalog {
  readonly instructions?: string | undefined;
}

type Warn = (kind: Kind, name: string | undefined, code: FindingCode, message: string) => void;

/**
 * Checks a policy against what a server really lists: entries that fit nothing or change nothing, primitives that
 * nothing maps, values that contradict annotations, and what is true of all configurations at once.
 *
 * @param files the files of the policy, without an error
 * @param policy the policy that they make
 * @param catalog what the server lists
 * @returns warnings; and notes about what was not looked at
 * @example
 * checkCatalog(files, policy, { tools });
 */
export function checkCatalog(
  files: readonly CheckedFile[],
  policy: Policy,
  catalog: PolicyCatalog,
): Finding[] {
  const findings: Finding[] = [];
  const report = (file: CheckedFile, path: Path, code: FindingCode, message: string): void => {
    findings.push({ ...file.source.locate(path, 'key'), severity: 'warning', code, message });
  };
  checkEntriesAgainst(files, policy, catalog, report);
  const warn: Warn = (kind, name, code, message) => {
    const { file, path } = placeOf(files, kind, name);
    report(file, path, code, message);
  };
  for (const kind of KINDS) {
    for (const primitive of catalog[kind] ?? []) checkPrimitive(policy, kind, primitive, warn);
  }
  checkAllConfigurations(files, policy, catalog, warn, report);
  return findings;
}

type Report = (file: CheckedFile, path: Path, code: FindingCode, message: string) => void;

function checkEntriesAgainst(
  files: readonly CheckedFile[],
  policy: Policy,
  catalog: PolicyCatalog,
  report: Report,
): void {
  for (const file of files) {
    for (const kind of KINDS) {
      const primitives = catalog[kind] ?? [];
      const names = primitives.map((primitive) => identityOf(kind, primitive));
      const mapped = primitives.map((primitive) => mapPrimitive(policy, kind, primitive));
      for (const name of Object.keys(file.document.primitives?.[kind] ?? {})) {
        if (names.includes(name) || isInherited(policy, kind, name, catalog)) continue;
        const near = nearest(
          name,
          names.filter((_each, index) => mapped[index]?.mapped === false),
        );
        const hint = near === undefined ? 'take it out.' : `did you mean "${near}", which nothing maps?`;
        report(
          file,
          ['primitives', kind, name],
          'dead-entry',
          `The server has no ${WORDS[kind]} "${name}"; ${hint}`,
        );
      }
      for (const pattern of policy.patterns[kind]) {
        const path = ['patterns', kind, pattern.name];
        if (!Object.hasOwn(file.document.patterns?.[kind] ?? {}, pattern.name)) continue;
        const covered = mapped.filter((_mapping, index) => pattern.matches(names[index] ?? ''));
        if (covered.length === 0) {
          report(
            file,
            path,
            'dead-entry',
            `No ${WORDS[kind]} of the server fits "${pattern.name}"; take it out.`,
          );
        } else if (
          pattern.assignments.length > 0 &&
          !covered.some(({ offers }) =>
            pattern.assignments.some(
              ({ concern, offered }) => offers[concern]?.offered === offered || offered === 'any',
            ),
          )
        ) {
          const message = `Every value of "${pattern.name}" is replaced by a later pattern or an entry; take it out.`;
          report(file, path, 'shadowed-entry', message);
        }
      }
    }
  }
}

/**
 * Whether an entry matters without being listed: a URI that the server reads by one of its templates, and a template of
 * the policy from which listed resources inherit.
 */
function isInherited(policy: Policy, kind: Kind, name: string, catalog: PolicyCatalog): boolean {
  if (kind === 'resources') {
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

const WORDS: Readonly<Record<Kind, string>> = {
  tools: 'tool',
  prompts: 'prompt',
  resources: 'resource',
  resourceTemplates: 'resource template',
};

function checkPrimitive(policy: Policy, kind: Kind, primitive: Primitive, warn: Warn): void {
  const name = identityOf(kind, primitive);
  const mapping = mapPrimitive(policy, kind, primitive);
  if (!mapping.mapped) {
    const fate = policy.settings.unmapped === 'show' ? 'always shown' : 'always hidden';
    warn(
      kind,
      undefined,
      'unmapped',
      `Nothing maps the ${WORDS[kind]} "${name}", so it is ${fate}; map it, {} if that is meant.`,
    );
  }
  for (const { fires, assignments } of policy.assigns) {
    if (!isTruthy(fires({ primitive: mapping.primitive }, []))) continue;
    for (const { concern, offered, source } of assignments) {
      const offer = mapping.offers[concern];
      if (offered === 'any' || offer === undefined || offer.offered.some((each) => offered.includes(each)))
        continue;
      const concernName = policy.concerns[concern]?.name;
      const message = `The ${concernName} of "${name}" is not what ${source} derives from its annotations; mend one of them.`;
      warn(kind, name, 'contradicts-annotations', message);
    }
  }
  const { annotations } = primitive;
  if (typeof annotations !== 'object' || annotations === null) return;
  const { readOnlyHint } = annotations as { readOnlyHint?: unknown };
  mapping.offers.forEach((offer, concern) => {
    const { values, name: concernName } = policy.concerns[concern] ?? {};
    if (offer === undefined || values === undefined || 'min' in values) return;
    const words = offer.offered.map((number) => values[number] ?? '');
    const reads = words.every((word) => /^read(-?only)?$/.test(word));
    const writes = words.every((word) => /^(write|destructive)$/.test(word));
    if ((readOnlyHint === false && reads) || (readOnlyHint === true && writes)) {
      const message = `${concernName} of "${name}" is ${words.join(', ')}, but its readOnlyHint is ${readOnlyHint}; mend one of them.`;
      warn(kind, name, 'contradicts-annotations', message);
    }
  });
}

function checkAllConfigurations(
  files: readonly CheckedFile[],
  policy: Policy,
  catalog: PolicyCatalog,
  warn: Warn,
  report: Report,
): void {
  const { neverVisible, alwaysVisible, showsNothing, rules, unanswered } = analyze(policy, catalog);
  for (const { kind, name } of neverVisible) {
    warn(
      kind,
      name,
      'never-visible',
      `No configuration shows the ${WORDS[kind]} "${name}"; change its values, or the rule that hides it.`,
    );
  }
  for (const { kind, name } of alwaysVisible) {
    const message = `Every configuration shows the ${WORDS[kind]} "${name}", whatever its values; write {} if that is meant.`;
    warn(kind, name, 'always-visible', message);
  }
  const [first] = files;
  if (showsNothing !== undefined && first !== undefined) {
    const asked = Object.entries(showsNothing).map(([name, value]) => `${name}: ${value}`);
    report(
      first,
      ['concerns'],
      'empty-surface',
      `A host that asks for {${asked.join(', ')}} is shown nothing at all.`,
    );
  }
  for (const { id, fires } of rules) {
    const file = files.find(({ document }) => document.rules?.some((rule) => rule.id === id));
    const index = file?.document.rules?.findIndex((rule) => rule.id === id) ?? 0;
    if (file === undefined || fires === 'sometimes') continue;
    const message =
      fires === 'never'
        ? 'fires for no configuration and primitive'
        : 'fires for all of its primitives, always';
    report(
      file,
      ['rules', index, 'id'],
      `rule-${fires}-fires`,
      `The rule "${id}" ${message}; mend it or take it out.`,
    );
  }
  if (first !== undefined) {
    for (const question of unanswered) {
      report(first, [], 'not-analysed', `There are too many configurations to say ${question}.`);
    }
  }
  checkTexts(policy, catalog, warn, (message) => {
    if (first !== undefined) report(first, [], 'names-hidden', message);
  });
}

/** A text that names a primitive sends a model after something that it may not see. */
function checkTexts(
  policy: Policy,
  catalog: PolicyCatalog,
  warn: Warn,
  warnInstructions: (message: string) => void,
): void {
  // A name that is a plain word is in every other text.
  const mappings = new Map(
    (['tools', 'prompts'] as const).flatMap((kind) =>
      (catalog[kind] ?? []).flatMap((primitive) => {
        const name = identityOf(kind, primitive);
        return /[_-]|[a-z][A-Z]/.test(name) ? [[name, mapPrimitive(policy, kind, primitive)] as const] : [];
      }),
    ),
  );
  const named = (text: unknown, own: Mapping | undefined): string[] => {
    if (typeof text !== 'string') return [];
    return [...new Set(text.split(/[^A-Za-z0-9_-]+/))].filter((word) => {
      const mapping = mappings.get(word);
      return mapping !== undefined && canPart(policy, own, mapping);
    });
  };
  const found = named(catalog.instructions, undefined);
  if (found.length > 0) {
    warnInstructions(
      `The server's instructions name what can be hidden (${found.join(', ')}); a model may look for it in vain.`,
    );
  }
  for (const kind of KINDS) {
    for (const primitive of catalog[kind] ?? []) {
      const { description } = primitive as { description?: unknown };
      const others = named(description, mapPrimitive(policy, kind, primitive));
      if (others.length === 0) continue;
      const name = identityOf(kind, primitive);
      const message = `The description of "${name}" names what can be hidden while it is shown (${others.join(', ')}); a model may look for it in vain.`;
      warn(kind, name, 'names-hidden', message);
    }
  }
}

/** Where a primitive's entry stands; else where the kind does; else the beginning of the first file. */
function placeOf(
  files: readonly CheckedFile[],
  kind: Kind,
  name: string | undefined,
): { file: CheckedFile; path: Path } {
  for (const file of files) {
    if (name !== undefined && Object.hasOwn(file.document.primitives?.[kind] ?? {}, name)) {
      return { file, path: ['primitives', kind, name] };
    }
  }
  const file = files.find(({ document }) => document.primitives?.[kind] !== undefined) ?? files.at(-1);
  if (file === undefined) throw new TypeError('A policy has at least one file.');
  return { file, path: file.document.primitives?.[kind] === undefined ? [] : ['primitives', kind] };
}
