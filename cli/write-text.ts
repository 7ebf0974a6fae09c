import { writeFile } from 'node:fs/promises';
import { Failure } from './failure.ts';

export async function writeText(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((error: NodeJS.ErrnoException) => {
    throw new Failure('file_unreadable', `${file} cannot be written (${error.code}).`, { cause: error });
  });
}
