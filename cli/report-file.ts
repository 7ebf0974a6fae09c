import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { Failure } from './failure.ts';

/** A file that always contains the latest complete report, even if the run is killed. */
export type ReportFile = {
  /** Replaces the content of the report file. A pipe gets only the last report, in `close`. */
  write(text: string): void;
  close(text: string): void;
};

/** Opens the file before any work, so that an invalid path fails first. */
export function openReportFile(path: string | undefined): ReportFile {
  if (path === undefined) return { write: () => {}, close: () => {} };
  const file = attempt(path, () => openSync(path, 'w'));
  const isFile = fstatSync(file).isFile();
  const replace = (text: string): void =>
    attempt(path, () => {
      if (isFile) ftruncateSync(file, 0);
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at, isFile ? at : null);
    });
  return {
    write: (text) => isFile && replace(text),
    close: (text) => {
      replace(text);
      closeSync(file);
    },
  };
}

function attempt<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure('file_unreadable', `${path} cannot be written (${code}).`, { cause: error });
  }
}
