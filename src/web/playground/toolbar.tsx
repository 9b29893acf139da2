import { useRef } from 'preact/hooks';
import type { PlaygroundDocument } from './document.js';

interface ToolbarProps {
  readonly examples: readonly PlaygroundDocument[];
  readonly document: PlaygroundDocument;
  readonly note: { readonly text: string; readonly bad: boolean };
  choose(document: PlaygroundDocument): void;
  open(files: readonly File[]): void;
  share(): void;
  /** Absent while the policy has errors. */
  readonly exportTest: (() => void) | undefined;
}

/** What can be done with the whole document. */
export function Toolbar({ examples, document, note, choose, open, share, exportTest }: ToolbarProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <header class="toolbar">
      <p class="brand">
        mcp-concerns <span>playground</span>
      </p>
      {examples.length > 1 && (
        <select
          aria-label="Example"
          value={document.server}
          onChange={({ currentTarget }) => {
            const chosen = examples.find(({ server }) => server === currentTarget.value);
            if (chosen !== undefined) choose(chosen);
          }}
        >
          {examples.some(({ server }) => server === document.server) || (
            <option value={document.server}>{document.server}</option>
          )}
          {examples.map(({ server }) => (
            <option key={server} value={server}>
              {server}
            </option>
          ))}
        </select>
      )}
      <div class="actions">
        <input
          ref={input}
          type="file"
          hidden
          multiple
          accept=".yaml,.yml,.json"
          onChange={({ currentTarget }) => {
            open([...(currentTarget.files ?? [])]);
            // The same file can be chosen again.
            currentTarget.value = '';
          }}
        />
        <button
          type="button"
          title="A policy (.yaml), a catalog (.json), or both"
          onClick={() => input.current?.click()}
        >
          Open files
        </button>
        <button type="button" onClick={share}>
          Copy link
        </button>
        <button type="button" disabled={exportTest === undefined} onClick={exportTest}>
          Export test
        </button>
      </div>
      <p class={note.bad ? 'note bad' : 'note'} role={note.bad ? 'alert' : 'status'}>
        {note.text}
      </p>
    </header>
  );
}
