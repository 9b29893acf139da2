import { type Position, TextDocuments } from 'vscode-languageserver';
import type { Connection } from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { ConcernsError } from '../../core/errors.js';
import { diagnosticOf, fileOf, uriOf } from './diagnostics.js';
import { type OpenPolicy, openPolicy } from './open-policy.js';

/** Milliseconds after the last change of a text, because a check of a large policy takes longer than a keystroke. */
const QUIET_MS = 100;

/** A position of an open file, with its current text and check. */
export interface FileAt {
  readonly uri: string;
  readonly document: TextDocument;
  readonly text: string;
  readonly position: Position;
  /** The position as an offset in the text. */
  readonly offset: number;
  readonly open: OpenPolicy;
}

/** The files that an editor has open. Each is checked after a change, and the editor shows what is wrong. */
export class OpenFiles {
  private readonly documents = new TextDocuments(TextDocument);
  /** The last check of each open file. While YAML is not valid, its concerns are still offered. */
  private readonly open = new Map<string, OpenPolicy>();
  /** The files in which the editor shows something. */
  private readonly marked = new Set<string>();
  private readonly timers = new Map<string, NodeJS.Timeout>();

  constructor(private readonly connection: Connection) {
    this.documents.onDidChangeContent(({ document: { uri } }) => {
      clearTimeout(this.timers.get(uri));
      const timer = setTimeout(() => this.check(uri), QUIET_MS);
      this.timers.set(uri, timer);
    });
    // Another open file may include the saved one.
    this.documents.onDidSave(() => this.checkAll());
    // A command wrote the catalog, or a branch was switched.
    connection.onDidChangeWatchedFiles(() => this.checkAll());
    this.documents.onDidClose(({ document: { uri } }) => {
      clearTimeout(this.timers.get(uri));
      for (const each of [this.timers, this.open]) each.delete(uri);
      this.publish(uri, []);
    });
    this.documents.listen(connection);
  }

  private checkAll(): void {
    for (const { uri } of this.documents.all()) this.check(uri);
  }

  /** Returns an open policy or test file. A request can arrive before the check of the last change. */
  at(uri: string, position: Position): FileAt | undefined {
    if (this.timers.has(uri)) this.check(uri);
    const document = this.documents.get(uri);
    const open = this.open.get(uri);
    if (document === undefined || open === undefined) return undefined;
    return { uri, document, text: document.getText(), position, offset: document.offsetAt(position), open };
  }

  private check(uri: string): void {
    clearTimeout(this.timers.get(uri));
    this.timers.delete(uri);
    try {
      const checked = openPolicy(fileOf(uri), (file) => this.documents.get(uriOf(file))?.getText());
      if (checked === undefined) {
        this.open.delete(uri);
        return this.publish(uri, []);
      }
      const before = this.open.get(uri);
      const { found, files } = checked;
      const lost = before !== undefined && checked.concerns.length === 0;
      this.open.set(uri, lost ? { ...before, found, files } : checked);
      for (const name of new Set([fileOf(uri), ...files])) {
        const own = found.filter(({ file }) => file === name);
        this.publish(uriOf(name), own);
      }
    } catch (error) {
      if (!(error instanceof ConcernsError)) throw error;
      this.connection.window.showWarningMessage(error.message);
    }
  }

  private publish(uri: string, found: OpenPolicy['found']): void {
    const had = this.marked.delete(uri);
    if (found.length > 0) this.marked.add(uri);
    if (!had && found.length === 0 && this.documents.get(uri) === undefined) return;
    void this.connection.sendDiagnostics({ uri, diagnostics: found.map(diagnosticOf) });
  }
}
