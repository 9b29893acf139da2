import {
  byKind,
  type CompiledAssign,
  type CompiledEntry,
  type CompiledPolicy,
  type CompiledRulePart,
  type CompiledValue,
  type Concern,
  type ConcernValue,
  type Kind,
  type Pins,
  type Settings,
} from '../../engine/policy.js';
import { type CheckedFile, type ConcernDeclaration, declarationOf } from '../check/check-values.js';
import { comparePlaces } from '../language/findings.js';
import type { Path, Source } from '../language/read-yaml.js';
import { compiledName, type PolicyDocument } from '../language/schema.js';
import { COMPILED_FORMAT, digestOf } from './compiled.js';

const DEFAULT_SETTINGS: Settings = {
  unmapped: 'show',
  defaults: 'aware',
  invalid: 'error',
  enforcement: 'advisory',
  transparency: false,
};

/**
 * Compiles the files of a policy into plain JSON. The same files always give the same bytes.
 *
 * @param files the files of the policy, without errors, included files first
 * @param pins the definitions that a person reviewed
 * @param declared its concerns, if they are not only those of the files
 * @returns the compiled policy, which `JSON.stringify` can write
 * @example
 * writeFileSync('policy.json', JSON.stringify(compilePolicy(files)));
 */
export function compilePolicy(
  files: readonly CheckedFile[],
  pins?: Pins | undefined,
  declared?: ReadonlyMap<string, ConcernDeclaration>,
): CompiledPolicy {
  const documents = files.map(({ document }) => document);
  const own = documents.flatMap(({ concerns }) => Object.entries(concerns ?? {}));
  const concerns = declared ?? own.map(([name, document]) => [name, declarationOf(document)] as const);
  const clientDefaults = documents.flatMap((each) => each['defaults-for'] ?? []);
  const presented = documents.flatMap(({ present }) => Object.entries(present?.tools ?? {}));
  const bound = documents.flatMap(({ bind }) =>
    Object.entries(bind ?? {}).map(([name, from]) => ({ name, from })),
  );
  return withDigest({
    format: COMPILED_FORMAT,
    files: files.map(({ source }) => source.file),
    concerns: [...concerns].map(toConcern),
    presets: Object.fromEntries(documents.flatMap(({ presets }) => Object.entries(presets ?? {}))),
    primitives: byKind((kind) => entries(files, 'primitives', kind)),
    patterns: byKind((kind) => entries(files, 'patterns', kind)),
    assign: files.flatMap(assigns),
    rules: files.flatMap(rules),
    ...(clientDefaults.length === 0 ? {} : { defaultsFor: clientDefaults }),
    settings: settingsOf(documents),
    ...(presented.length === 0 ? {} : { present: Object.fromEntries(presented) }),
    ...(bound.length === 0 ? {} : { bind: bound }),
    ...(pins === undefined ? {} : { pins }),
  });
}

/** Returns a compiled policy with its digest in the place that it has in files. */
export function withDigest(content: Omit<CompiledPolicy, 'digest'>): CompiledPolicy {
  const { format, ...rest } = content;
  return { format, digest: digestOf(content), ...rest };
}

function settingsOf(documents: readonly PolicyDocument[]): Settings {
  const written = documents.flatMap(({ settings = {} }) => Object.entries(settings));
  const named = written.map(([name, value]) => [compiledName(name), value]);
  return { ...DEFAULT_SETTINGS, ...Object.fromEntries(named) };
}

function toConcern([name, concern]: readonly [string, ConcernDeclaration]): Concern {
  const { description, values, valueDescriptions, match, multiple, claim, model } = concern;
  const isRange = 'min' in values;
  return {
    name,
    ...(description === undefined ? {} : { description }),
    values: isRange ? { min: values.min, max: values.max } : values,
    ...(Object.keys(valueDescriptions).length === 0 ? {} : { valueDescriptions }),
    match: match ?? (isRange ? 'at-most' : 'exact'),
    multiple: multiple ?? false,
    ...(concern.default === undefined ? {} : { default: concern.default }),
    setBy: concern['set-by'] ?? 'host',
    ...(model === undefined ? {} : { model }),
    ...(concern.lists === undefined ? {} : { lists: concern.lists }),
    ...(claim === undefined ? {} : { claim }),
    ...(concern.obtainable === undefined ? {} : { obtainable: concern.obtainable }),
    ...(concern['claim-values'] === undefined ? {} : { claimValues: concern['claim-values'] }),
  };
}

function assigns({ document, source }: CheckedFile, file: number): CompiledAssign[] {
  return (document.assign ?? []).map(({ when, to }, index) => {
    const path = ['assign', index];
    return { when, file, line: source.locate(path).line, values: valuesOf(source, [...path, 'to'], to) };
  });
}

function rules({ document, source }: CheckedFile, file: number): CompiledRulePart[] {
  return (document.rules ?? []).map(({ id, hide, show, when, reason }, index) => ({
    id,
    effect: hide === undefined ? 'show' : 'hide',
    kinds: hide ?? show ?? [],
    when,
    ...(reason === undefined ? {} : { reason }),
    file,
    line: source.locate(['rules', index, 'id']).line,
  }));
}

function entries(
  files: readonly CheckedFile[],
  section: 'primitives' | 'patterns',
  kind: Kind,
): CompiledEntry[] {
  return files.flatMap(({ document, source }, file) =>
    inOrder(Object.keys(document[section]?.[kind] ?? {}), source, [section, kind]).map((name) => {
      const path = [section, kind, name];
      const values = valuesOf(source, path, document[section]?.[kind]?.[name] ?? {});
      return { name, file, line: source.locate(path, 'key').line, values };
    }),
  );
}

function valuesOf(
  source: Source,
  path: Path,
  mapping: Readonly<Record<string, ConcernValue | readonly ConcernValue[]>>,
): CompiledEntry['values'] {
  const values = Object.entries(mapping).map(([concern, value]): [string, CompiledValue] => [
    concern,
    { is: value === 'any' ? value : [value].flat(), line: source.locate([...path, concern], 'key').line },
  ]);
  return Object.fromEntries(values);
}

/** The names in the order of the file: JavaScript puts keys that are integers first. */
function inOrder(names: readonly string[], source: Source, path: Path): readonly string[] {
  if (!names.some((name) => /^\d+$/.test(name))) return names;
  const placeOf = (name: string) => source.locate([...path, name], 'key');
  return names.toSorted((a, b) => comparePlaces(placeOf(a), placeOf(b)));
}
