import type { Pins } from '../../engine/policy.js';
import type { CheckedFile } from '../check/check-values.js';
import type { FindingCode } from '../language/finding-codes.js';
import type { Finding } from '../language/findings.js';
import { readPolicyText } from '../language/read-yaml.js';
import { type ValidatedPolicy, validatePolicy } from '../language/validate.js';

/** The text of a file that another file includes, or why there is none. */
export type IncludedText =
  | { readonly text: string; readonly problem?: undefined }
  | { readonly text?: undefined; readonly problem: string };

/** Where included files come from: the file system, or texts in memory. */
export interface FileSource {
  read(path: string): IncludedText;
  /** Returns the path of an included file, from the file that includes it and the name that it writes. */
  resolve(file: string, name: string): string;
}

/** Reads files and all files that they include, each file once, included files first. */
export class Reading {
  readonly files: CheckedFile[] = [];
  readonly findings: Finding[] = [];
  readonly texts = new Map<string, string>();
  /** The names of all files, also of files that could not be read, included files first. */
  readonly order: string[] = [];
  /** The pinned definitions, see `pin`. */
  pins: Pins | undefined;
  /** Whether all files could be read. */
  complete = true;

  constructor(private readonly source: FileSource) {}

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
    this.files.push({ source, ...validated, included });
    this.order.push(file);
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
      const message = `"changed: ${changed}" compares definitions with the pinned ones, but there is no ${lock}. Run "mcp-concerns pin".`;
      const place = source.locate(['settings', 'changed']);
      this.findings.push({ ...place, severity: 'error', code: 'lock-missing', message });
    }
  }

  private include(
    validated: ValidatedPolicy,
    path: string,
    index: number,
    including: ReadonlySet<string>,
  ): Iterable<string> | undefined {
    const report = (code: FindingCode, message: string): undefined => {
      this.findings.push({ ...validated.locate(['include', index]), severity: 'error', code, message });
      return undefined;
    };
    if (including.has(path)) {
      const message = `${path} includes itself through this file. Remove one of the includes.`;
      return report('include-cycle', message);
    }
    const { text, problem } = this.source.read(path);
    if (text === undefined) {
      const message = `${path} cannot be read (${problem}). Paths are relative to this file.`;
      return report('include-unreadable', message);
    }
    return [path, ...this.add(path, text, including)];
  }
}
