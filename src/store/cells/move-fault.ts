import { StartError } from '../../kernel/start-error.ts';

/** The error of a move that was undone. The command prints the error without its stack. */
export const moveFault = (message: string, fix = 'Try again.'): StartError =>
  new StartError(message, `Nothing was changed. ${fix}`);
