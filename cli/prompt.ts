import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Failure } from './failure.ts';

/** Ctrl-C at a prompt ends the program silently with the exit code of an interrupt. */
export class Interrupted extends Error {
  override name = 'Interrupted';
}

export const onTerminal = (): boolean => process.stdin.isTTY && process.stderr.isTTY;

/** Prompts on stderr, so that stdout contains only the result of the command. */
export const ask = (question: string): Promise<string> => read(question, process.stderr);

/** Prompts without showing the typed text. */
export async function askHidden(question: string): Promise<string> {
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  try {
    return await read('', nowhere);
  } finally {
    process.stderr.write('\n');
  }
}

/** Asks for confirmation before a deletion. Without a terminal, the command requires --yes. */
export async function confirm(yes: boolean | undefined, question: string): Promise<void> {
  if (yes) return;
  if (!onTerminal()) {
    throw new Failure('confirmation_required', `${question} This is not a terminal: add --yes to confirm.`);
  }
  const answer = await ask(`${question} Type yes to go on: `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new Failure('confirmation_required', 'Nothing was changed.');
}

async function read(question: string, output: NodeJS.WritableStream): Promise<string> {
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('SIGINT', () => reject(new Interrupted()));
      lines.once('close', () => reject(new Interrupted()));
      lines.question(question).then(resolve, reject);
    });
  } finally {
    lines.close();
  }
}
