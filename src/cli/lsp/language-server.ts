import {
  type CodeAction,
  type CompletionItem,
  type Definition,
  type Hover,
  type TextDocumentPositionParams,
  TextDocumentSyncKind,
} from 'vscode-languageserver';
import { createConnection } from 'vscode-languageserver/node';
import { completionsAt } from '../../core/policy/check/completions.js';
import { read } from '../../core/wire/messages.js';
import { VERSION } from '../version.js';
import { codeActions } from './code-actions.js';
import { fileOf, rangeOf, uriOf } from './diagnostics.js';
import { hoverText } from './hover.js';
import { type FileAt, OpenFiles } from './open-files.js';
import { isTestFile, named, policiesBeside } from './open-policy.js';
import { testCompletionsAt } from './test-completions.js';
import { wordAt } from './word-at.js';

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
  const files = new OpenFiles(connection);
  const about =
    <T>(answer: (file: FileAt) => T) =>
    ({ textDocument, position }: TextDocumentPositionParams): T | undefined => {
      const file = files.at(textDocument.uri, position);
      return file && answer(file);
    };
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
  connection.onCompletion((params) => about(complete)(params) ?? []);
  connection.onHover(about(hover));
  connection.onDefinition(about(define));
  connection.onCodeAction(({ textDocument, range: { start, end } }) =>
    about((file) => act(file, end.line))({ textDocument, position: start }),
  );
  connection.listen();
}

function complete({ uri, text, offset, document, position, open }: FileAt): CompletionItem[] {
  const { from, items } = isTestFile(uri)
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

function hover({ text, offset, document, open }: FileAt): Hover | undefined {
  const at = wordAt(text, offset);
  const value = at && hoverText(at, open);
  if (at === undefined || value === undefined) return undefined;
  const range = { start: document.positionAt(at.from), end: document.positionAt(at.to) };
  return { contents: { kind: 'markdown', value }, range };
}

function define({ uri, text, offset, open }: FileAt): Definition | undefined {
  const at = wordAt(text, offset);
  if (at === undefined) return undefined;
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

function act({ uri, text, position: { line: first }, open }: FileAt, last: number): CodeAction[] {
  const inside = open.found
    .filter(({ file, line }) => file === fileOf(uri) && line - 1 >= first && line - 1 <= last)
    .filter((each) => 'code' in each);
  return codeActions(inside, uri, text);
}
