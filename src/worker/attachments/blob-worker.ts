import type { Logger } from 'pino';
import { BlobError, type BlobStore } from '../../kernel/blob-store.ts';
import {
  beginMove,
  completeMove,
  findDeletions,
  findMovable,
  objectName,
  postponeDeletion,
  finishDeletion,
} from '../../store/attachments/blobs.ts';
import type { Db } from '../../store/db.ts';
import { createLookLoop } from '../look-loop.ts';

const POLL_MS = 5_000;
/** Each file may have 10 MiB, and only one file at a time is in memory. */
const BATCH = 20;

export type BlobWorkerDeps = { db: Db; log: Logger; blobs: BlobStore };

/** Moves files from the database into the object store, and deletes objects without a row. */
export function createBlobWorker({ db, log, blobs }: BlobWorkerDeps) {
  /** Returns false if the store fails, so that the other files wait for the next run. */
  async function works(what: string, act: () => Promise<unknown>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (error) {
      if (loop.isStopping()) return false;
      const facts = error instanceof BlobError ? { detail: error.message } : { err: error };
      log.warn(facts, `${what}; it is tried again within minutes`);
      return false;
    }
  }

  async function move(): Promise<boolean> {
    const found = await findMovable(db, BATCH);
    for (const one of found) {
      if (loop.isStopping()) return false;
      const bytes = await beginMove(db, one);
      if (bytes === null) continue;
      const isMoved = await works('a file was not moved into its store', async () => {
        await blobs.put(objectName(one), bytes, one.hash);
        await completeMove(db, one);
      });
      if (!isMoved) return false;
    }
    return found.length === BATCH;
  }

  async function remove(): Promise<boolean> {
    const found = await findDeletions(db, BATCH);
    for (const one of found) {
      if (loop.isStopping()) return false;
      const isDone = await works('a file was not deleted from its store', () =>
        finishDeletion(db, one, () => blobs.delete(objectName(one))),
      );
      if (isDone) continue;
      await postponeDeletion(db, one);
      return false;
    }
    return found.length === BATCH;
  }

  const failure = 'the files in the store were not looked after';
  const loop = createLookLoop({
    failure,
    log,
    pollMs: POLL_MS,
    look: async () => {
      let isMore = false;
      for (const part of [remove, move]) {
        await works(failure, async () => {
          isMore = (await part()) || isMore;
        });
      }
      return isMore;
    },
  });
  return loop;
}
