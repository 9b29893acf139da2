import { relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  type CompletionItem,
  type Definition,
  type Diagnostic,
  type Hover,
  type Position,
  TextDocumentSyncKind,
  TextDocuments,
} from 'vscode-languageserver';
import { type Connection, createConnection } from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { ConcernsError } from '../../errors.js';
import { completionsAt } from '../../policy/check/completions.js';
import { findingPage } from '../../policy/language/finding-codes.js';
import type { Finding, Place } from '../../policy/language/findings.js';
import { read } from '../../wire/messages.js';
import { SITE, VERSION } from '../version.js';
import { codeActions, type ShownFinding } from './code-actions.js';
import { hoverText } from './hover.js';
import {
  type Failure,
  isTestFile,
  named,
  type OpenPolicy,
  openPolicy,
  policiesBeside,
} from './open-policy.js';
import { testCompletionsAt } from './test-completions.js';
import { wordAt } from './word-at.js';

/** Milliseconds after the last change of a text, because a check of a large policy takes longer than a keystroke. */
const QUIET_MS = 100;

/**
 * Answers an editor: findings while a person types, completions, what a word means, fixes, and where a concern or an
 * included file is (Language Server Protocol 3.17).
 *
 * @param input the messages of the editor
 * @param output the messages to the editor
 * @example
 * serveLanguage(process.stdin, process.stdout);
 */
export function serveLanguage(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): void {
  const connection = createConnection(input, output);
  const server = new LanguageServer(connection);
  connection.onInitialize(() => ({
    capabilities: {
      textDocumentSync: TextDocumentSyncKind.Incremental,
      completionProvider: { triggerCharacters: [' ', '"', '{', '[', ',', '.'] },
      hoverProvider: true,
      codeActionProvider: { codeActionKinds: ['quickfix'] },
      definitionProvider: true,
    },
    serverInfo: { name: 'mcp-concerns', version: VERSION },
  }));
  connection.onCompletion(({ textDocument, position }) => server.complete(textDocument.uri, position));
  connection.onHover(({ textDocument, position }) => server.hover(textDocument.uri, position));
  connection.onDefinition(({ textDocument, position }) => server.define(textDocument.uri, position));
  connection.onCodeAction(({ textDocument, range }) => {
    const { start, end } = range;
    return server.act(textDocument.uri, start.line, end.line);
  });
  server.listen();
  connection.listen();
}

class LanguageServer {
  private readonly documents = new TextDocuments(TextDocument);
  /** The last check of each open file. While YAML is not valid, its concerns are still offered. */
  private readonly open = new Map<string, OpenPolicy>();
  private readonly shown = new Map<string, ShownFinding[]>();
  private readonly timers = new Map<string, NodeJS.Timeout>();

  constructor(private readonly connection: Connection) {}

  listen(): void {
    this.documents.onDidChangeContent(({ document: { uri } }) => {
      clearTimeout(this.timers.get(uri));
      this.timers.set(
        uri,
        setTimeout(() => this.check(uri), QUIET_MS),
      );
    });
    // Another open file may include the saved one.
    this.documents.onDidSave(() => this.checkAll());
    // A command wrote the catalog, or a branch was switched.
    this.connection.onDidChangeWatchedFiles(() => this.checkAll());
    this.documents.onDidClose(({ document: { uri } }) => {
      clearTimeout(this.timers.get(uri));
      for (const each of [this.timers, this.open]) each.delete(uri);
      this.publish(uri, []);
    });
    this.documents.listen(this.connection);
  }

  private checkAll(): void {
    for (const { uri } of this.documents.all()) this.check(uri);
  }

  complete(uri: string, position: Position): CompletionItem[] {
    const { document, open } = this.current(uri);
    if (document === undefined || open === undefined) return [];
    const text = document.getText();
    const offset = document.offsetAt(position);
    const { from, items } = isTestFile(fileOf(uri))
      ? testCompletionsAt(text, offset, open)
      : completionsAt(text, offset, { ...open, files: policiesBeside(fileOf(uri)) });
    const range = { start: document.positionAt(from), end: position };
    return items.map(({ label, text: newText, description }, index) => ({
      label,
      // The order of the declarations, and not of the alphabet.
      sortText: String(index).padStart(5, '0'),
      filterText: newText.trimEnd().replace(/:$/, ''),
      textEdit: { range, newText },
      ...(description === undefined ? {} : { documentation: description }),
    }));
  }

  hover(uri: string, position: Position): Hover | undefined {
    const { document, open } = this.current(uri);
    if (document === undefined || open === undefined) return undefined;
    const at = wordAt(document.getText(), document.offsetAt(position));
    const value = at && hoverText(at, open);
    if (at === undefined || value === undefined) return undefined;
    const range = { start: document.positionAt(at.from), end: document.positionAt(at.to) };
    return { contents: { kind: 'markdown', value }, range };
  }

  define(uri: string, position: Position): Definition | undefined {
    const { document, open } = this.current(uri);
    const at = document && wordAt(document.getText(), document.offsetAt(position));
    if (at === undefined || open === undefined) return undefined;
    if (at.path[0] === 'include' || (at.path[0] === 'servers' && at.path[2] === 'policy')) {
      const start = { line: 0, character: 0 };
      return { uri: new URL(at.word, uri).href, range: { start, end: start } };
    }
    const server = open.servers.find(({ slug }) => at.path.includes('when') && slug === at.word);
    if (server !== undefined) return { uri: uriOf(server.named.file), range: rangeOf(server.named) };
    const { concerns, sources } = named(open, at);
    const names = [at.writes === 'key' ? at.word : '', at.word.replace(/^concerns\./, ''), ...at.path];
    const name = names.find((each) => concerns.some((concern) => concern.name === each));
    const source = sources.find(({ data }) => read(data, 'concerns', String(name)) !== undefined);
    if (name === undefined || source === undefined) return undefined;
    return { uri: uriOf(source.file), range: rangeOf(source.locate(['concerns', name], 'key')) };
  }

  act(uri: string, first: number, last: number): ReturnType<typeof codeActions> {
    const { document } = this.current(uri);
    if (document === undefined) return [];
    const shown = this.shown.get(uri) ?? [];
    const inside = shown.filter(({ finding: { line } }) => line - 1 >= first && line - 1 <= last);
    return codeActions(inside, uri, document.getText());
  }

  /** The current text and its check: a request can arrive before the check of the last change. */
  private current(uri: string) {
    if (this.timers.has(uri)) this.check(uri);
    return { document: this.documents.get(uri), open: this.open.get(uri) };
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
      const { findings, failures, files } = checked;
      const lost = before !== undefined && checked.concerns.length === 0;
      this.open.set(uri, lost ? { ...before, findings, files } : checked);
      for (const name of new Set([fileOf(uri), ...files]))
        this.publish(
          uriOf(name),
          findings.filter(({ file }) => file === name),
          failures.filter(({ file }) => file === name),
        );
    } catch (error) {
      if (!(error instanceof ConcernsError)) throw error;
      this.connection.window.showWarningMessage(error.message);
    }
  }

  private publish(uri: string, findings: readonly Finding[], failures: readonly Failure[] = []): void {
    const shown = findings.map((finding) => ({ finding, diagnostic: diagnosticOf(finding) }));
    const had = (this.shown.get(uri) ?? []).length > 0;
    this.shown.set(uri, shown);
    if (!had && shown.length === 0 && this.documents.get(uri) === undefined) return;
    const diagnostics = [...shown.map(({ diagnostic }) => diagnostic), ...failures.map(failureToShow)];
    void this.connection.sendDiagnostics({ uri, diagnostics });
  }
}

const failureToShow = ({ message, ...place }: Failure): Diagnostic => ({
  range: rangeOf(place),
  severity: 1,
  source: 'mcp-concerns',
  message,
});

function diagnosticOf({ severity, code, message, ...place }: Finding): Diagnostic {
  return {
    range: rangeOf(place),
    // Numbers of the protocol: 1 is an error, 2 a warning.
    severity: severity === 'error' ? 1 : 2,
    code,
    ...(SITE !== undefined && { codeDescription: { href: findingPage(code, SITE) } }),
    source: 'mcp-concerns',
    message,
  };
}

function rangeOf({ line, column, length }: Place): Diagnostic['range'] {
  const start = { line: line - 1, character: column - 1 };
  return { start, end: { line: line - 1, character: column - 1 + length } };
}

/** The path relative to the working folder, as the commands print it. */
const fileOf = (uri: string): string => relative('', fileURLToPath(uri));

const uriOf = (file: string): string => pathToFileURL(resolve(file)).href;
