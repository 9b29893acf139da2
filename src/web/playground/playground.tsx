import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { parsePolicy } from '../../core/policy/compile/parse.js';
import type { Finding } from '../../core/policy/language/findings.js';
import { Concerns } from '../page/concerns.js';
import { Header, Totals } from '../page/header.js';
import { Notices } from '../page/notices.js';
import { Presets } from '../page/presets.js';
import { PrimitiveList } from '../page/primitive-list.js';
import type { Change } from '../page/source.js';
import { Claims } from './claims.js';
import type { PlaygroundDocument } from './document.js';
import { Editor, type Target } from './editor.js';
import { exportedTest, saveFile } from './exported-test.js';
import { Findings } from './findings.js';
import { openFiles } from './open-files.js';
import { buildProgram, changed, type Program, placeOf, stateOf, textsOf } from './program.js';
import { fromFragment, toFragment } from './share-link.js';
import { Toolbar } from './toolbar.js';

interface PlaygroundProps {
  readonly examples: readonly [PlaygroundDocument, ...PlaygroundDocument[]];
}

/** The playground: the policy on one side, and on the other what a host sees, at once. */
export function Playground({ examples }: PlaygroundProps) {
  const [document, setDocument] = useState(examples[0]);
  const [fileName, setFileName] = useState(document.files[0]?.name ?? '');
  // How many documents were opened: each one gets a new editor.
  const [opened, setOpened] = useState(0);
  const [target, setTarget] = useState<Target>();
  const [note, setNote] = useState({ text: '', bad: false });
  const { files, catalog, preferences, claims, server } = document;
  const file = files.find(({ name }) => name === fileName) ?? files[0] ?? { name: 'policy.yaml', text: '' };

  const open = (next: PlaygroundDocument): void => {
    setDocument(next);
    setOpened((count) => count + 1);
    setFileName(next.files[0]?.name ?? '');
  };
  const attempt = async (action: () => Promise<string>): Promise<void> => {
    try {
      setNote({ text: await action(), bad: false });
    } catch (cause) {
      setNote({ text: cause instanceof Error ? cause.message : String(cause), bad: true });
    }
  };
  useEffect(() => {
    const restore = (): void =>
      void attempt(async () => {
        const shared = await fromFragment(location.hash);
        if (shared !== undefined) open(shared);
        return '';
      });
    restore();
    addEventListener('hashchange', restore);
    return () => removeEventListener('hashchange', restore);
  }, []);

  const built = useMemo(() => buildProgram(files, catalog), [files, catalog]);
  const { findings, isChecking } = useFindings(document, built.findings);
  const lastGood = useRef<Program | undefined>(undefined);
  lastGood.current = built.program ?? lastGood.current;
  const program = lastGood.current;
  const state = useMemo(
    () => (program === undefined ? undefined : stateOf(program, server, preferences, claims)),
    [program, server, preferences, claims],
  );
  const known = { concerns: program?.policy.concerns ?? [], catalog };

  const edit = (text: string): void =>
    setDocument((before) => ({
      ...before,
      files: before.files.map((each) => (each.name === file.name ? { ...each, text } : each)),
    }));
  const change = (wanted: Change): void => {
    if (program === undefined) return;
    setDocument((before) => ({
      ...before,
      preferences: changed(program, before.preferences, before.claims, wanted),
    }));
  };
  const go = (place: Target): void => {
    setFileName(place.file);
    setTarget({ ...place });
  };
  const share = async (): Promise<string> => {
    history.replaceState(null, '', await toFragment(document));
    try {
      await navigator.clipboard.writeText(location.href);
      return 'The link is copied.';
    } catch {
      return 'The link is in the address of this page. Copy it from there.';
    }
  };

  const exportTest = (): void => {
    if (program === undefined) return;
    const name = testFileOf(files[0]?.name ?? file.name);
    saveFile(name, exportedTest(program, document));
    const text = `Put ${name} beside the policy and ${document.catalogFile}, and run mcp-concerns test ${name}.`;
    setNote({ text, bad: false });
  };

  return (
    <div class="playground">
      <Toolbar
        examples={examples}
        document={document}
        note={note}
        choose={open}
        open={(chosen) =>
          attempt(async () => {
            open(await openFiles(document, chosen));
            return '';
          })
        }
        share={() => attempt(share)}
        exportTest={built.program === undefined ? undefined : exportTest}
      />
      <div class="panes">
        <section class="source" aria-label="Policy">
          {files.length > 1 && (
            <label class="files">
              File{' '}
              <select value={file.name} onChange={(event) => setFileName(event.currentTarget.value)}>
                {files.map(({ name }) => (
                  <option key={name} value={name}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
          )}
          <Editor
            key={`${opened} ${file.name}`}
            file={file}
            findings={findings}
            known={known}
            target={target}
            change={edit}
          />
          <Findings findings={findings} isChecking={isChecking} several={files.length > 1} go={go} />
        </section>
        <main class="local">
          {state === undefined || program === undefined ? (
            <p class="notice bad">The policy has errors. Fix them to see what it shows.</p>
          ) : (
            <>
              {built.program === undefined && (
                <p class="notice" role="status">
                  The policy has errors. Below is what it showed before them.
                </p>
              )}
              <Header state={state} choose={undefined} />
              <Totals state={state} />
              {catalog.estimated === true && (
                <p class="notice">The catalog has no token counts, so the numbers of tokens are estimates.</p>
              )}
              <Notices texts={state.warnings} />
              <Presets state={state} change={change} />
              <Concerns
                state={{ ...state, concerns: state.concerns.filter(({ setBy }) => setBy === 'host') }}
                change={change}
              />
              <Claims
                policy={program.policy}
                claims={claims}
                change={(next) => setDocument((before) => ({ ...before, claims: next }))}
              />
              <PrimitiveList
                state={state}
                change={change}
                sourceOf={(item) => {
                  const place = placeOf(program, item);
                  return place === undefined ? undefined : () => go(place);
                }}
              />
            </>
          )}
        </main>
      </div>
    </div>
  );
}

const testFileOf = (policy: string): string =>
  policy.slice(policy.lastIndexOf('/') + 1).replace(/(\.ya?ml)?$/, '.test.yaml');

/** The pause after the last change before the catalog is checked, in milliseconds: the analysis of all configurations takes time. */
const PAUSE = 250;

/**
 * Checks a policy while it is edited. Findings of the text alone are there at once, those of the catalog after a pause.
 *
 * @param document the files and the catalog
 * @param ofText the findings of the text alone
 * @returns the findings to show, and whether those of the catalog are still missing
 */
function useFindings({ files, catalog }: PlaygroundDocument, ofText: readonly Finding[]) {
  const [[checked, all], setChecked] = useState<readonly (readonly Finding[])[]>([]);
  useEffect(() => {
    const check = () => setChecked([ofText, parsePolicy(textsOf(files), catalog).findings]);
    const timer = setTimeout(check, PAUSE);
    return () => clearTimeout(timer);
  }, [files, catalog, ofText]);
  const isChecking = checked !== ofText;
  return { findings: isChecking || all === undefined ? ofText : all, isChecking };
}
