import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/**
 * Makes a command independent of the folder and the search path: hosts start servers in a folder of their own, and some
 * without the search path of a shell.
 *
 * @param command the program and its arguments
 * @param path the search path, `process.env.PATH`
 * @returns the same command. The program is an absolute path if it was found, and so is each argument that is the
 *   relative path of something that exists.
 * @example
 * absoluteCommand(['node', './server.js'], process.env.PATH); // ['/usr/bin/node', '/home/ada/server.js']
 */
export function absoluteCommand([program = '', ...args]: readonly string[], path = ''): string[] {
  const found = isPath(program)
    ? resolve(program)
    : path
        .split(delimiter)
        .filter((folder) => folder !== '')
        .flatMap((folder) => ENDINGS.map((ending) => join(folder, program + ending)))
        .find(isProgram);
  return [found ?? program, ...args.map(absoluteArgument)];
}

/** On Windows, programs are found without their endings. */
const ENDINGS = process.platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : [''];

const isPath = (text: string): boolean => text.includes('/') || text.includes('\\');

/** A word without a separator may be the name of anything, also if a file has the same name. */
const absoluteArgument = (argument: string): string =>
  isPath(argument) && !isAbsolute(argument) && existsSync(argument) ? resolve(argument) : argument;

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
