import type { Pins } from '../../engine/policy.js';
import { slugOf } from '../../engine/servers/outside-names.js';
import type { CheckedFile } from '../check/check-values.js';
import type { ServerEntry } from '../check/servers/server-parts.js';
import type { Finding } from '../language/findings.js';
import { findingAt, type Problem, problem } from '../language/problem.js';
import { type Path, readPolicyText } from '../language/read-yaml.js';
import type { PolicyDocument } from '../language/schema.js';
import { type ValidatedPolicy, validatePolicy } from '../language/validate.js';
import { parseLock } from './lock.js';

/** The text of a file that another file includes, or why there is none. */
export type IncludedText =
  | { readonly text: string; readonly problem?: undefined }
  | { readonly text?: undefined; readonly problem: string };

type Server = NonNullable<PolicyDocument['servers']>[string];

/** Why a file of a `FileSource` cannot be read that does not exist. */
export const MISSING = 'it does not exist';

/**
 * @param path the path of a policy file, or of a folder that is one policy
 * @param isFolder whether it is a folder
 * @returns the path of the file beside it that pins definitions; `policy.lock.yaml` in a folder
 */
export const lockBeside = (path: string, isFolder = false): string =>
  isFolder ? `${path.replace(/\/$/, '')}/policy.lock.yaml` : path.replace(/(\.ya?ml)?$/, '.lock.yaml');

/** Where included files come from: the file system, or texts in memory. */
export interface FileSource {
  read(path: string): IncludedText;
  /** Returns the path of an included file, from the file that includes it and the name that it writes. */
  resolve(file: string, name: string): string;
}

/** A server that a policy names, and what was read of its own policy. */
interface ServerReading {
  readonly slug: string;
  readonly entry: ServerEntry;
  /** `undefined` if it has no policy, or one that cannot be read. */
  readonly reading: Reading | undefined;
}

/**
 * Reads the files of a policy. A file that is the policy of one of its servers does not belong to it, also if it is in one folder
 * with the others.
 *
 * @param source where included files come from
 * @param texts the texts of the files, by name
 */
export function readFiles(source: FileSource, texts: ReadonlyMap<string, string>): Reading {
  const readWithout = (left: ReadonlySet<string>): Reading => {
    const reading = new Reading(source);
    for (const [name, text] of texts) if (!left.has(name)) reading.add(name, text);
    return reading;
  };
  const all = readWithout(new Set());
  const ofServers = new Set(all.servers.flatMap(({ reading }) => reading?.order ?? []));
  return ofServers.size === 0 ? all : readWithout(ofServers);
}

/** Reads files and all files that they include, each file once, included files first. */
export class Reading {
  readonly files: CheckedFile[] = [];
  readonly findings: Finding[] = [];
  readonly texts: Map<string, string> = new Map();
  /** The names of all files, also of files that could not be read, included files first. */
  readonly order: string[] = [];
  /** The pinned definitions, see `pin`. */
  pins: Pins | undefined;
  /** Whether all files could be read. */
  complete = true;
  /** The servers that the files name, each with a policy of its own. */
  readonly servers: ServerReading[] = [];

  /**
   * @param source where included files come from
   * @param isOfServer whether this is the policy of one of several servers, which cannot name servers itself
   */
  constructor(
    private readonly source: FileSource,
    private readonly isOfServer = false,
  ) {}

  /** @returns the names of all files that this file includes, directly or through other files */
  add(file: string, text: string, including: ReadonlySet<string> = new Set()): ReadonlySet<string> {
    const known = this.files.find(({ source }) => source.file === file);
    if (known !== undefined || this.texts.has(file)) return known?.included ?? new Set();
    this.texts.set(file, text);
    const source = readPolicyText(text, file);
    for (const finding of source.findings) this.findings.push(finding);
    if (source.data === undefined) {
      this.complete = false;
      this.order.push(file);
      return new Set();
    }

    const validated = validatePolicy(source);
    this.findings.push(...validated.findings);
    const included = new Set<string>();
    validated.document.include?.forEach((name, index) => {
      const path = this.source.resolve(file, name);
      const found = this.include(validated, path, index, new Set([...including, file]));
      if (found === undefined) this.complete = false;
      for (const each of found ?? []) included.add(each);
    });
    const read = { source, ...validated, included };
    this.files.push(read);
    this.order.push(file);
    for (const [key, server] of Object.entries(validated.document.servers ?? {})) {
      this.addServer(read, key, server);
    }
    return included;
  }

  /**
   * Pins definitions, after all files were added.
   *
   * @param pins what the lock files beside the policy contain; undefined if there is none
   * @param lock where it belongs
   */
  pin(pins: Pins | undefined, lock: string): void {
    this.pins = pins;
    for (const { source, document } of pins === undefined ? this.files : []) {
      const { changed = 'show' } = document.settings ?? {};
      // Without its pins, the policy would show definitions that nobody reviewed.
      if (changed === 'show') continue;
      const place = source.locate(['settings', 'changed']);
      this.findings.push(findingAt(place, 'error', problem('lock-missing', { changed, lock })));
    }
  }

  private addServer(file: CheckedFile, key: string, server: Server): void {
    const { policy, description, concerns, map = {} } = server;
    const slug = slugOf(key);
    const path = ['servers', key];
    if (this.isOfServer) return this.report(file, path, problem('nested-servers', {}));
    const other = this.servers.find((each) => each.slug === slug)?.entry.key;
    if (other !== undefined)
      return this.report(file, path, problem('duplicate.server', { other, key, slug }));
    const maps = Object.entries(map).map(
      ([concern, values]) => [concern, new Map(Object.entries(values))] as const,
    );
    const reading = policy === undefined ? undefined : this.readServer(file, [...path, 'policy'], policy);
    this.complete &&= policy === undefined || reading !== undefined;
    this.servers.push({ slug, entry: { key, file, description, concerns, map: new Map(maps) }, reading });
  }

  private readServer(file: CheckedFile, path: Path, policy: string): Reading | undefined {
    const name = this.source.resolve(file.source.file, policy);
    const text = this.read(file, path, name);
    if (text === undefined) return undefined;
    const reading = new Reading(this.source, true);
    reading.add(name, text);
    const lock = lockBeside(name);
    const locked = this.source.read(lock);
    const pins = locked.text === undefined ? undefined : parseLock(locked.text);
    if (pins !== undefined || locked.problem === MISSING) {
      reading.pin(pins, lock);
      return reading;
    }
    // Without its pins, the policy would show definitions that nobody reviewed.
    const reason = locked.problem ?? 'it is not a lock file; remove it, and run "mcp-concerns pin" again';
    return this.report(file, path, problem('include-unreadable.lock', { lock, reason }));
  }

  /** Returns the text of a file that a part of another names; `undefined`, with a finding, if it cannot be read. */
  private read(file: ValidatedPolicy, path: Path, name: string): string | undefined {
    const { text, problem: reason } = this.source.read(name);
    if (text !== undefined) return text;
    return this.report(file, path, problem('include-unreadable.file', { path: name, problem: reason }));
  }

  private report({ locate }: ValidatedPolicy, path: Path, found: Problem): undefined {
    // Of a server, its key is shown, and not all of its entry.
    const place = locate(path, path.length === 2 ? 'key' : 'value');
    this.findings.push(findingAt(place, 'error', found));
  }

  private include(
    validated: ValidatedPolicy,
    path: string,
    index: number,
    including: ReadonlySet<string>,
  ): Iterable<string> | undefined {
    const at = ['include', index];
    if (including.has(path)) return this.report(validated, at, problem('include-cycle', { path }));
    const text = this.read(validated, at, path);
    return text === undefined ? undefined : [path, ...this.add(path, text, including)];
  }
}
