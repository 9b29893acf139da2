#!/usr/bin/env node
import { complain, run } from './run.js';
import { speedUpStartup } from './startup.js';

let writeError: NodeJS.ErrnoException | undefined;
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // `| head` closes the pipe when it has read enough. This is not an error, but a full disk is.
    if (error.code !== 'EPIPE') writeError = error;
  });
}

const [, , ...argv] = process.argv;
speedUpStartup(argv[0]);
const exitCode = await run(argv, process);
// A server module may keep timers running, so the process exits explicitly, after all output is written.
const flushed = (stream: NodeJS.WriteStream) => new Promise((done) => stream.write('', done));
await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
if (writeError !== undefined) complain(`The output cannot be written (${writeError.code}).`, process);
process.exit(writeError === undefined ? exitCode : 2);
