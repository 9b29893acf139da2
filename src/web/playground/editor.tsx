import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { EditorState, type Text } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';
import { useEffect, useRef } from 'preact/hooks';
import { completionsAt, type KnownNames } from '../../core/policy/check/completions.js';
import type { Finding, Fix } from '../../core/policy/language/findings.js';
import type { PolicyText } from './document.js';

/** A line to go to. A new object goes there again. */
export interface Target {
  readonly file: string;
  readonly line: number;
  readonly column?: number;
}

interface EditorProps {
  readonly file: PolicyText;
  readonly findings: readonly Finding[];
  readonly known: KnownNames;
  readonly target: Target | undefined;
  change(text: string): void;
}

/**
 * The editor of one file of the policy. Findings are underlined, and their fixes are offered.
 *
 * The text belongs to the editor once it is shown: what it reports arrives late here, and must not be put back into it.
 * For another text, render another editor, with another `key`.
 */
export function Editor({ file, findings, known, target, change }: EditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);
  // The editor lives longer than one rendering, so it reads what changes from here.
  const current = useRef({ known, change });
  current.current = { known, change };

  useEffect(() => {
    if (place.current === null) return;
    const created = new EditorView({
      parent: place.current,
      state: EditorState.create({ doc: file.text, extensions: extensionsOf(file.name, current) }),
    });
    view.current = created;
    return () => created.destroy();
  }, [file.name]);

  useEffect(() => {
    const editor = view.current;
    if (editor === undefined) return;
    const own = findings.filter((finding) => finding.file === file.name);
    const diagnostics = own.map((finding) => diagnosticOf(finding, editor.state.doc));
    editor.dispatch(setDiagnostics(editor.state, diagnostics));
  }, [findings, file.name]);

  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || target === undefined || target.file !== file.name) return;
    const anchor = offsetOf(editor.state.doc, target.line, target.column ?? 1);
    editor.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
    editor.focus();
  }, [target, file.name]);

  return <div class="editor" ref={place} />;
}

const extensionsOf = (name: string, current: { readonly current: Pick<EditorProps, 'known' | 'change'> }) => [
  lineNumbers(),
  lintGutter(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  drawSelection(),
  history(),
  bracketMatching(),
  yaml(),
  syntaxHighlighting(classHighlighter),
  EditorView.lineWrapping,
  // An editable element is focusable anyway. With the attribute, tools that check accessibility know it too.
  EditorView.contentAttributes.of({ 'aria-label': `Policy ${name}`, tabindex: '0' }),
  autocompletion({
    override: [(context) => complete(context, current.current.known)],
    icons: false,
    // After a key, its value follows.
    activateOnCompletion: ({ apply }) => typeof apply === 'string' && apply.endsWith(': '),
  }),
  // Tab is not bound: it leaves the editor, as everywhere on the page.
  keymap.of([...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap]),
  EditorView.updateListener.of((update) => {
    if (update.docChanged) current.current.change(update.state.doc.toString());
  }),
];

function complete(context: CompletionContext, known: KnownNames): CompletionResult | null {
  const text = context.state.doc.toString();
  const { from, items } = completionsAt(text, context.pos, known);
  const word = text.slice(from, context.pos);
  // Behind a whole word, Enter must begin a new line.
  const others = items.filter((item) => item.text.trim() !== word);
  // A list that opens on every new line would be in the way.
  const isExpected = word !== '' || /[:{[,] $/.test(text.slice(Math.max(0, from - 2), from));
  if (others.length === 0 || !(context.explicit || isExpected)) return null;
  return {
    from,
    options: others.map(({ label, text, description = '' }) => ({ label, apply: text, info: description })),
  };
}

function diagnosticOf(
  { line, column, length, severity, code, message, fix }: Finding,
  doc: Text,
): Diagnostic {
  const from = offsetOf(doc, line, column);
  return {
    from,
    to: Math.min(doc.length, from + length),
    severity,
    source: code,
    message,
    actions: [fix ?? []].flat().map((own) => ({
      name: 'Fix',
      apply: (editor) => editor.dispatch({ changes: changesOf(editor.state.doc, own) }),
    })),
  };
}

/** @returns the change of a text that makes a fix */
const changesOf = (doc: Text, { line, column, endLine, endColumn, text }: Fix) => ({
  from: offsetOf(doc, line, column),
  to: offsetOf(doc, endLine, endColumn),
  insert: text,
});

/** A finding can be about a text that has since become shorter. */
function offsetOf(doc: Text, line: number, column: number): number {
  if (line > doc.lines) return doc.length;
  const { from, to } = doc.line(Math.max(1, line));
  return Math.min(to, from + column - 1);
}
