import { useEffect, useRef, useState } from 'preact/hooks';
import { toYamlScalar } from '../policy/language/yaml-scalars.js';
import { writeTest } from '../policy/testing/first-tests.js';
import { describePreferences } from './describe-preferences.js';
import type { PlaygroundDocument } from './document.js';
import type { Program } from './program.js';

/**
 * Writes a test file that records what the host sees now.
 *
 * @param program the policy and the catalog
 * @param document the files, the preferences and the claims
 * @returns the YAML text of the file
 */
export function exportedTest(program: Program, document: PlaygroundDocument): string {
  const { files, catalog, catalogFile, preferences, claims } = document;
  const names = files.map(({ name }) => toYamlScalar(name));
  const test = { name: describePreferences(preferences, claims), concerns: preferences, claims };
  return [
    '# To add the test to a test file that exists, copy the lines below "tests:".',
    `policy: ${names.length === 1 ? names[0] : `[${names.join(', ')}]`}`,
    `catalog: ${toYamlScalar(catalogFile)}`,
    '',
    'tests:',
    writeTest(program.policy, catalog, test),
  ].join('\n');
}

/** Shows the test, to copy or to save. */
export function ExportDialog({
  text,
  file,
  catalogFile,
  close,
}: {
  readonly text: string;
  readonly file: string;
  readonly catalogFile: string;
  close(): void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [note, setNote] = useState('');
  useEffect(() => dialog.current?.showModal(), []);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setNote('Copied.');
    } catch {
      setNote('The browser does not allow copying. Select the text and copy it.');
    }
  };
  return (
    <dialog ref={dialog} aria-labelledby="export-title" onClose={close}>
      <h2 id="export-title">A test of what this host sees</h2>
      <p>
        Save it beside the policy and the catalog <code>{catalogFile}</code>, and run{' '}
        <code>mcp-concerns test {file}</code>.
      </p>
      <textarea readOnly aria-label="Test file" rows={14} value={text} spellcheck={false} />
      <p class="actions">
        <a class="button" download={file} href={`data:text/yaml;charset=utf-8,${encodeURIComponent(text)}`}>
          Save {file}
        </a>
        <button type="button" onClick={copy}>
          Copy
        </button>
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
        <span role="status">{note}</span>
      </p>
    </dialog>
  );
}
