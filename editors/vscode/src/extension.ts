import { commands, type ExtensionContext, window, workspace } from 'vscode';
import { CloseAction, ErrorAction, type ErrorHandler, LanguageClient } from 'vscode-languageclient/node';

let client: QuietClient | undefined;

/** A client that leaves what it says about a failed start in its output: it names neither the reason nor what to do. */
class QuietClient extends LanguageClient {
  hasStarted = false;

  override error(message: string, data?: unknown, notification?: boolean | 'force'): void {
    super.error(message, data, this.hasStarted ? notification : false);
  }
}

function clientOf(command: string, args: string[], folder: string): QuietClient {
  // On Windows, npx is a script, which only a shell runs.
  const options = { cwd: folder, shell: process.platform === 'win32' };
  const created: QuietClient = new QuietClient(
    'mcp-concerns',
    'MCP concerns',
    { command, args, options },
    {
      documentSelector: [{ scheme: 'file', language: 'yaml' }],
      synchronize: { fileEvents: workspace.createFileSystemWatcher('**/*.{yaml,yml,json}') },
      initializationFailedHandler: () => false,
      errorHandler: {
        error: (...about) =>
          created.hasStarted ? afterStart().error(...about) : { action: ErrorAction.Shutdown },
        // A program that is not installed ends each time, so it is started again only after it has worked.
        closed: () =>
          created.hasStarted ? afterStart().closed() : { action: CloseAction.DoNotRestart, handled: true },
      },
    },
  );
  // It counts the crashes, so there is one for each client.
  let counting: ErrorHandler | undefined;
  const afterStart = (): ErrorHandler => {
    counting ??= created.createDefaultErrorHandler();
    return counting;
  };
  return created;
}

/** Starts `mcp-concerns lsp` of the workspace, so that the editor and CI use the same version. */
async function start(): Promise<void> {
  const [command, ...args] = workspace.getConfiguration('mcp-concerns').get<string[]>('command') ?? [];
  const folder = workspace.workspaceFolders?.[0]?.uri.fsPath;
  if (command === undefined || folder === undefined) return;
  const starting = clientOf(command, args, folder);
  client = starting;
  // If the program ends before it answers, start resolves all the same, so only the state tells.
  await starting.start().catch(() => undefined);
  starting.hasStarted = starting.isRunning();
  if (!starting.hasStarted && isPolicyOpen()) void warn(starting, [command, ...args].join(' '), folder);
}

/** Any YAML file activates the extension. Who opened something else needs no language server of policies. */
const isPolicyOpen = (): boolean =>
  workspace.textDocuments.some(
    (document) =>
      document.languageId === 'yaml' && /^(concerns|policy):|mcp-concerns/m.test(document.getText()),
  );

async function warn({ outputChannel }: LanguageClient, program: string, folder: string): Promise<void> {
  const message = `The language server of MCP concerns cannot be started with "${program}" in ${folder}. Run "npm install --save-dev mcp-concerns" there, then choose Restart.`;
  const chosen = await window.showWarningMessage(message, 'Restart', 'Show Output');
  if (chosen === 'Restart') await restart();
  else if (chosen === 'Show Output') outputChannel.show();
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  // A client that could not start rejects, and has nothing to stop.
  await running?.dispose().catch(() => undefined);
}

async function restart(): Promise<void> {
  await stop();
  await start();
}

export async function activate({ subscriptions }: ExtensionContext): Promise<void> {
  subscriptions.push(commands.registerCommand('mcp-concerns.restart', restart));
  await start();
}

export const deactivate = stop;
