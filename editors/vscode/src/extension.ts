import { commands, type ExtensionContext, window, workspace } from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';

let client: LanguageClient | undefined;

/** Starts `mcp-concerns lsp` of the workspace, so that the editor and CI use the same version. */
async function start(): Promise<void> {
  const [command, ...args] = workspace.getConfiguration('mcp-concerns').get<string[]>('command') ?? [];
  const folder = workspace.workspaceFolders?.[0]?.uri.fsPath;
  if (command === undefined || folder === undefined) return;
  // On Windows, npx is a script, which only a shell runs.
  const options = { cwd: folder, shell: process.platform === 'win32' };
  client = new LanguageClient(
    'mcp-concerns',
    'MCP concerns',
    { command, args, options },
    {
      documentSelector: [{ scheme: 'file', language: 'yaml' }],
      synchronize: { fileEvents: workspace.createFileSystemWatcher('**/*.{yaml,yml,json}') },
    },
  );
  try {
    await client.start();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    void window.showWarningMessage(
      `mcp-concerns lsp cannot be started: ${reason}. Run "npm install --save-dev mcp-concerns" in the workspace.`,
    );
  }
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  // A client that could not start rejects, and has nothing to stop.
  await running?.stop().catch(() => undefined);
}

export async function activate({ subscriptions }: ExtensionContext): Promise<void> {
  subscriptions.push(
    commands.registerCommand('mcp-concerns.restart', async () => {
      await stop();
      await start();
    }),
  );
  await start();
}

export const deactivate = stop;
