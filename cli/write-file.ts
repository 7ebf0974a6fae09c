import { open, rm, writeFile } from 'node:fs/promises';
import { Failure } from './failure.ts';
import { endWithReader } from './output.ts';

/** Writes chunks into a new file, or to standard output if no file is named. */
export async function toFile(
  path: string | undefined,
  fill: (write: (chunk: Buffer) => Promise<void>) => Promise<void>,
): Promise<void> {
  if (path === undefined) {
    endWithReader();
    return fill(async (chunk) => {
      if (!process.stdout.write(chunk)) await new Promise((resolve) => process.stdout.once('drain', resolve));
    });
  }
  // The data contains personal data, so only its owner can read the file, and no existing file is overwritten.
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => fail(path, error));
  try {
    // Unlike `write`, `writeFile` also writes the rest of a chunk of which the disk took only a part.
    await fill((chunk) => file.writeFile(chunk).catch((error: unknown) => fail(path, error)));
  } catch (error) {
    // An incomplete file looks like a complete file, and prevents the next attempt.
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

export async function writeText(path: string, text: string): Promise<void> {
  await writeFile(path, text).catch((error: unknown) => fail(path, error));
}

function fail(path: string, error: unknown): never {
  const { code } = error as NodeJS.ErrnoException;
  throw new Failure('file_unreadable', `${path} cannot be written (${code}).`, { cause: error });
}
